#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "dot.hpp"
#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::bounds {

// Subset-sum bound: each node of a summation tree is the exact sum of some of the rounded terms
// plus earlier errors, so of magnitude at most M' + T, M' = (1 + u) M; T <= n u (M' + T) over n
// additions.
ULPFUZZ_INLINE void set_any_order(DotCoefficients& c, double additions, double roundings,
                                  double u) {
  const double nu = additions * u;
  const double du = roundings * u;
  c.cap = du <= 0.5 ? du * (1 + du) : du;
  if (nu < 0.25) {
    c.of_side = nu * (1 + u) / (1 - nu);
  } else {
    c.of_sum = c.cap;
  }
}

ULPFUZZ_INLINE DotCoefficients coefficients(const Model& m, std::size_t products,
                                            std::size_t additions, bool exact_products,
                                            double largest) {
  DotCoefficients c;
  if (products == 0 && additions == 0) return c;
  const double n = static_cast<double>(products);
  const double a = static_cast<double>(additions);
  const double product = exact_products ? 0 : m.u;
  set_any_order(c, a, a + (exact_products ? 0 : 1), m.u);
  if (c.of_sum == 0) c.of_sum = product;
  c.constant = (exact_products ? 0 : n * m.eta) + a * m.sum_eta;
  if (m.daz > 0) c.constant += n * m.daz * (largest + m.daz) + n * m.daz;
  return c;
}

// A product with one rounds nowhere, not even among subnormals.
ULPFUZZ_INLINE bool power_of_two(double x) {
  return (std::bit_cast<std::uint64_t>(x) & 0xfffffffffffffULL) == 0 && std::fabs(x) >= 1;
}

}  // namespace ulpfuzz::bounds
