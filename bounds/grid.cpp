#include "grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace ulpfuzz::bounds {

namespace {

template <class T>
int grid(const T* values, std::size_t n) {
  constexpr int bits = 22;
  int least = any_grid;
  int top = -any_grid;
  for (std::size_t i = 0; i < n; ++i) {
    const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(values[i])) & 0x7fffffffu;
    if (word == 0) continue;
    if (word >= 0x7f800000u) return no_grid;
    const int biased = static_cast<int>(word >> 23);
    const std::uint32_t mantissa = biased == 0 ? word : (word & 0x7fffffu) | 0x800000u;
    const int unit = std::max(biased, 1) - 150;
    least = std::min(least, unit + std::countr_zero(mantissa));
    top = std::max(top, unit + static_cast<int>(std::bit_width(mantissa)));
    if (top - least > bits) return no_grid;
  }
  return least;
}

}  // namespace

int grid_of(const float* values, std::size_t n) { return grid(values, n); }
int grid_of(const double* values, std::size_t n) { return grid(values, n); }

bool fits_grid(int e, double magnitude, int precision, int least_exponent) {
  if (e == no_grid) return false;
  if (e == any_grid) return magnitude == 0;
  if (magnitude == 0) return true;
  return e >= least_exponent && magnitude < std::ldexp(1.0, std::min(e + precision, 1023));
}

}  // namespace ulpfuzz::bounds
