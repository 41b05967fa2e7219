#pragma once

#include <cstddef>

#include "model.hpp"

namespace ulpfuzz::bounds {

/// Rounding error of one dot product after its operands have been converted, in a general model.
/// With S the sum of the magnitudes of all that is added, M the larger of the sums of its positive
/// and of its negative parts, and [x] the largest power of two of at most x, it is at most
///     of_sum S + of_binade [scale (M + partial S)] + constant     and     cap S + constant.
/// In the probabilistic model its mean is at most half of the part that a matmul unit adds,
/// unit_binade [..], and it deviates from that by at most the square root of
///     min(spread M, spread_sum S) M + spread_partial min(parts M, S) M.
struct GeneralCoefficients {
  double of_sum = 0, of_binade = 0, scale = 1, cap = 0, constant = 0;
  double partial = 0, unit_binade = 0;
  double spread = 0, spread_sum = 0, spread_partial = 0, parts = 1;
};

/// What of a dot product its rounding depends on. `width`: terms, zeros included; `terms`: nonzero
/// products. `powers`: the left factors are powers of two of at least 1. `largest`: sum of the
/// largest magnitudes of the operands.
struct DotShape {
  std::size_t width = 0, terms = 0;
  bool bias = false;
  bool powers = false;
  double largest = 0;
};

GeneralCoefficients general_coefficients(const Model& m, const DotShape& shape);

/// k of a matmul unit: it errs by at most k u32 M / (1 - k u32), and by k u32 S, on `terms` nonzero
/// products in at most `blocks` blocks (docs/bounds.md, "Matmul units"). `bias`: the accumulator
/// need not start at 0.
double unit_roundings(const MatmulUnit& unit, bool keeps_largest, double terms, double blocks,
                      bool bias);

}  // namespace ulpfuzz::bounds
