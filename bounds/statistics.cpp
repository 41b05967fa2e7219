#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "ulpfuzz/bounds/analysis.hpp"

namespace ulpfuzz::bounds {

double lambda(std::size_t elements, double eps) {
  if (!(eps > 0 && eps < 1))
    throw std::invalid_argument("lambda: eps is " + std::to_string(eps) +
                                "; a probability between 0 and 1 would fit");
  const double m = elements > 0 ? static_cast<double>(elements) : 1;
  return std::sqrt(2 * std::log(2 * m / eps));
}

// Random mantissas end in four zero bits once in 16 times, and neighbours are seldom equal.
bool has_random_low_bits(std::span<const float> values) {
  std::size_t random = 0;
  float last = 0;
  for (const float v : values) {
    const auto word = std::bit_cast<std::uint32_t>(v);
    random += (word & 0xfu) != 0 && std::isfinite(v) && std::fabs(v) != std::fabs(last);
    last = v;
  }
  return values.size() > 0 && 2 * random >= values.size();
}

}  // namespace ulpfuzz::bounds
