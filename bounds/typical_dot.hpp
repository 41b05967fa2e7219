#pragma once

#include <cstddef>

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bounds {

/// Root mean square of a rounding to nearest, relative to its unit roundoff, for mantissas that are
/// uniform in the logarithm: 1 / sqrt(8 ln 2). Of truncation, relative to twice that roundoff, too.
inline constexpr double rms_nearest = 0.42466;
/// Mean of truncation, relative to twice the unit roundoff: 1 / (4 ln 2). What is left of the rms
/// above is its deviation.
inline constexpr double mean_truncated = 0.36067;
inline constexpr double deviation_truncated = 0.22417;

/// What the rounding of a dot product depends on: of its nonzero terms, their sum and that of their
/// squares.
struct DotMoments {
  std::size_t terms = 0;
  double sum = 0, squares = 0;
  double exact = 0;  ///< share of the variance that additions do not make: short terms

  void add(double t) {
    terms += t != 0;
    sum += t;
    squares += t * t;
  }
  /// Mean of the square of the sum of k of the terms, over all choices, summed for k = first..last.
  double partial_sums(double first, double last) const;
  double partial_sum(double k) const { return partial_sums(k, k); }
};

/// Variance that adding the terms left to right makes, then `bias` if there is one: products, half
/// of them fused, sums, units and partial sums. `matmul`: does the product go through the unit?
double typical_dot(const DotMoments& m, const Arithmetic& a, bool products, bool matmul,
                   const double* bias);

}  // namespace ulpfuzz::bounds
