#pragma once

#include <cstddef>

namespace ulpfuzz::bounds {

/// A grid exponent e says of some values: all are multiples of 2^e and none has an error. Where the
/// magnitudes of a sum's terms add up to less than 2^(e + p), every partial sum in every order is a
/// multiple of 2^e of at most p bits, so no operation rounds: the exact tier.
inline constexpr int no_grid = -1000000;
/// Of zeros alone, which lie on every grid.
inline constexpr int any_grid = 1000;

/// The coarsest grid of `n` floats, or no_grid where they take more than 22 bits together, so that
/// no product of theirs could be told exact, or where one is not finite.
int grid_of(const float* values, std::size_t n);
/// Of doubles that are fp32 numbers.
int grid_of(const double* values, std::size_t n);

/// May values of at most `magnitude` on grid e be held with `precision` bits and the given exponent
/// of the least value?
bool fits_grid(int e, double magnitude, int precision, int least_exponent);

/// e1 + e2, for products.
inline int product_grid(int a, int b) {
  if (a == no_grid || b == no_grid) return no_grid;
  return a == any_grid || b == any_grid ? any_grid : a + b;
}

}  // namespace ulpfuzz::bounds
