#pragma once

#include <cstddef>
#include <vector>

#include "model.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {

/// Rounding error of one dot product of `products` nonzero terms, `additions` of them nontrivial,
/// any order, FMA, bias position: at most of_sum * S + of_side * M + constant, and at most
/// (cap * S + constant), where S is the sum of the terms' magnitudes and M the larger of the sums
/// of the positive and of the negative ones.
struct DotCoefficients {
  double of_sum = 0;
  double of_side = 0;
  double cap = 0;
  double constant = 0;

  double radius(double sum, double side) const {
    const double both = of_sum * sum + of_side * side;
    const double classic = cap * sum;
    return (both < classic ? both : classic) + constant;
  }
};

/// `exact_products`: the left factors are powers of two of at least 1. `largest`: sum of the
/// largest magnitudes of the two operands, for flushing; not read by plain fp32.
DotCoefficients dot_coefficients(const Model& m, std::size_t products, std::size_t additions,
                                 bool exact_products, double largest);
/// The same for a sum without products.
DotCoefficients sum_coefficients(const Model& m, std::size_t terms);

/// Memory of the kernels below.
struct DotScratch {
  std::vector<std::size_t> index;
  std::vector<double> a, magnitude, error, square, column_max, row_sum;
  std::vector<double> converted, conversion;  ///< of the left operand

  void reserve(std::size_t rows, std::size_t k) {
    if (index.size() < k) {
      index.resize(k);
      for (auto* v : {&a, &magnitude, &error, &square, &converted, &conversion})
        v->resize(k + slack);
    }
    if (row_sum.size() < rows) row_sum.resize(rows);
  }
};

/// Left operand [rows, k] by strides; right operand [k, n], rows `right_stride` apart, readable
/// `slack` beyond its end. bias: n values or null. Results dense [rows, n], and in
/// scratch.row_sum[r] the largest S + E of each row.
struct DotCall {
  std::size_t rows = 0, k = 0, n = 0;
  const double *a = nullptr, *a_error = nullptr, *a_variance = nullptr;  ///< errors null: exact
  std::size_t a_row = 0, a_step = 0;
  const double *b = nullptr, *b_error = nullptr, *b_variance = nullptr;
  std::size_t b_row = 0;
  /// Where the model converts operands: b converted, as far as that is known, and how far the
  /// conversion of each element may be from that (null: not at all); laid out as b.
  const double *b_converted = nullptr, *b_conversion = nullptr;
  /// Of the terms some may be converted and others not: they are in several products, added up.
  bool apart = false;
  const double* bias = nullptr;
  double together = 1;  ///< k where operands' errors may conspire: (sum s)^2 <= k sum s^2; else 1
  double b_max = 0;     ///< largest |b|
  const double* column_max =
      nullptr;  ///< [k] largest |b| of each row of b; null: computed if needed
  double *value = nullptr, *error = nullptr, *variance = nullptr, *local = nullptr;
};

/// False where some result is not safely finite: not below the overflow threshold, or NaN.
bool dot_rows(const DotCall& call, const Model& m, DotScratch& scratch);

/// dot_rows where the model is general: conversions, splits, matmul units, known depth, partial
/// sums.
bool general_rows(const DotCall& call, const Model& m, DotScratch& scratch);

/// Outer product, [rows] times [n]: as dot_rows with k = 1 but no sums; `variance` receives
/// standard deviations (a_variance and b_variance are variances). Returns as above; scratch.row_sum
/// as above.
bool outer_rows(const DotCall& call, const Model& m, DotScratch& scratch);

/// Column sums of [terms, n], rows `stride` apart, where the operand's errors are not null.
struct ColumnSumCall {
  std::size_t terms = 0, n = 0, stride = 0;
  const double *x = nullptr, *x_error = nullptr, *x_variance = nullptr;
  double together = 1;
  double *value = nullptr, *error = nullptr, *variance = nullptr, *local = nullptr;
};
bool column_sums(const ColumnSumCall& call, const Model& m, double& largest_sum);

}  // namespace ulpfuzz::bounds
