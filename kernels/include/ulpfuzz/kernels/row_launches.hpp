#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/kernels/product.hpp"

/// What block programs on rows are launched with. Arrays are dense and row-major;
/// sizes count floats.
namespace ulpfuzz::kernels {

/// The order of a row's sum, by 128 threads, of which thread t has elements t, t + 128, ... of the
/// row: each thread adds its terms to +0, first to last; then, for m = 16, 8, 4, 2, 1, 64, 32 in
/// turn, the sum of every thread t becomes it + that of thread t ^ m, all of them at once. All
/// threads end with the same sum. A row's maximum is found likewise, from -infinity, with
/// b > a ? b : a for a + b.

/// y = e^(x - max) / sum over each row of n.
struct Softmax {
  /// shifted  e_i = e^(x_i - max), y_i = e_i / (sum of e_i)
  /// online   the maximum m and the sum s in one pass (Milakov & Gimelshein, arXiv 1805.02867):
  ///          from m = -infinity, s = +0, a thread's x > m gives s = s e^(m - x) + 1, m = x, else
  ///          s = s + e^(x - m); where threads meet, m'' = max(m, m'), s'' = s e^(m - m'') +
  ///          s' e^(m' - m''), each factor 1 where m'' is its m. y_i = e^(x_i - m) / s. A term of
  ///          -infinity adds nothing, one of +infinity NaN.
  /// NaN or +infinity in a row, or nothing but -infinity, makes all of it NaN.
  enum class Formula : std::uint8_t { shifted, online };
  Formula formula = Formula::shifted;
  const float* x = nullptr;
  std::size_t rows = 0, n = 0;
  float* y = nullptr;
  bool fast = false;  ///< fast_exp for exp
};

/// Layer norm and RMS norm, without affine part.
struct Norm {
  enum class Kind : std::uint8_t { layer, rms };
  /// Sums as stated above, / n. two: the mean first, then the mean of squared deviations. one: sums
  /// of x and x^2, the variance as mean x^2 - mean^2, 0 where that is less. Of rms the same: mean
  /// x^2 for the variance, x for x - mean. y = (x - mean) (1 / sqrt(variance + epsilon)).
  enum class Passes : std::uint8_t { one, two };
  Kind kind = Kind::layer;
  Passes passes = Passes::two;
  const float* x = nullptr;
  float epsilon = 0;
  std::size_t rows = 0, n = 0;
  float* y = nullptr;
};

/// Jacobian times v, row by row: of softmax at the row it made s of: s (v - s.v); or of a norm at
/// x, with z = norm(x), by two passes, r = 1 / sqrt(variance + epsilon):
///   layer norm  r ((v - mean(v)) - z mean(v z))      RMS norm  r (v - z mean(v z))
/// Sums as stated above; mean: / n.
struct RowGradient {
  enum class Of : std::uint8_t { softmax, layer_norm, rms_norm };
  Of of = Of::softmax;
  const float* v = nullptr;
  const float* x = nullptr;  ///< s of softmax
  float epsilon = 0;
  std::size_t rows = 0, n = 0;
  float* y = nullptr;
};

/// y[j] = sum over r < rows of x[r * n + j], for each of `entries` such arrays one after the other.
/// `parts` blocks share the rows (contiguous parts, the first ones longer by one where it does not
/// divide) and their sums are combined as stated. Thread t of the `rows_at_once` = R of a column
/// and part adds the part's rows t, t + R, ... to +0, first to last; then, for m = R / 2, ... 1,
/// the sum of thread t < m becomes it + that of thread t + m.
struct ColumnSum {
  const float* x = nullptr;
  std::size_t entries = 1, rows = 0, n = 0;
  float* y = nullptr;
  std::uint32_t rows_at_once = 1;  ///< 1, 4 or 8
  std::uint32_t parts = 1;
  Combination combination = Combination::ordered;
};

}  // namespace ulpfuzz::kernels
