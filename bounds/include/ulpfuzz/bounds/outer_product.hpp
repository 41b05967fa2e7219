#pragma once

#include <cstddef>
#include <cstdint>

namespace ulpfuzz::bounds {

/// Bounds of one entry of an output that is an outer product g h^T, without its elements. Element
/// (i, j) has reference g_i h_j, a sound radius of at least
///     per_size_i |h_j| + per_error_i h_error_j + constant_i     (0: exact)
/// and a standard deviation of at least max(p, q) + min(p, q) / 2, where p = deviation_per_size_i
/// |h_j| and q = deviation_per_deviation_i h_deviation_j: what output() says of it, less 2^-40 of
/// it. Arrays are readable in blocks of eight.
struct OuterBounds {
  std::size_t rows = 0;
  std::size_t cols = 0;
  const double* g = nullptr;
  const double* per_size = nullptr;
  const double* per_error = nullptr;
  const double* constant = nullptr;
  const double* deviation_per_size = nullptr;
  const double* deviation_per_deviation = nullptr;
  const double* h = nullptr;
  const double* h_error = nullptr;
  const double* h_deviation = nullptr;

  OuterBounds row(std::size_t i) const {
    return {1,
            cols,
            g + i,
            per_size + i,
            per_error + i,
            constant + i,
            deviation_per_size + i,
            deviation_per_deviation + i,
            h,
            h_error,
            h_deviation};
  }
};

/// `paths`: a with b, both rounding within the bounds, and each with the reference where a row's
/// bits are not all equal. `first`: a with
/// b, allowing what a alone may err. `reference`: a with the reference; b is not read.
enum class Comparison : std::uint8_t { paths, first, reference };

/// What a run of elements must keep to, and how many there are of each kind.
struct RunLimits {
  double lambda;
  double share_sound;     ///< largest share of the sound bound that passes
  double share_tightest;  ///< largest share of the tightest bound that passes
  Comparison comparison;
};
struct RunCounts {
  bool passes = false;
  std::uint64_t equal = 0, exact = 0, sound = 0, probable = 0, none = 0;  ///< valid if it passes
};

/// Evaluations of [rows, cols] elements against these bounds: passes only if no difference is above
/// the shares given of what output() allows.
RunCounts compare(const OuterBounds& bounds, const float* a, const float* b,
                  const RunLimits& limits);

}  // namespace ulpfuzz::bounds
