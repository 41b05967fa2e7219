#include "soundness/data.hpp"

#include <cmath>

namespace ulpfuzz::bench {
namespace {

float normal(Random& random) { return std::normal_distribution<float>()(random); }

float power(Random& random, int low, int high) {
  const int e = low + static_cast<int>(pick(random, static_cast<std::size_t>(high - low + 1)));
  return std::ldexp(pick(random, 2) == 0 ? 1.0f : -1.0f, e);
}

float number(Data data, std::size_t i, float scale, Random& random) {
  const float z = normal(random);
  switch (data) {
    case Data::positive:
      return scale * (std::fabs(z) + 0.1f);
    case Data::integers:
      return std::round(3 * z);
    case Data::powers:
      return power(random, -3, 3);
    case Data::offset:
      return scale * (30 + z);
    case Data::cancelling:
      return (i % 2 == 0 ? 1.0f : -1.0f) * (1 + 0x1p-20f * z);
    case Data::stagnating:
      return i == 0 ? 1.0f : 0x1p-24f;
    case Data::one_huge:
      return pick(random, 5) == 0 ? 1e4f * z : 1e-4f * z;
    case Data::ranges:
      return z * power(random, -30, 30);
    case Data::huge:
      return z * std::fabs(power(random, 55, 63));
    case Data::tiny:
      return std::ldexp(z, -60 - static_cast<int>(pick(random, 80)));
    case Data::subnormal:
      return std::ldexp(z, -128 - static_cast<int>(pick(random, 20)));
    case Data::saturated:
      return 6 * scale * z;
    case Data::constant:
      return 0.1f;
    case Data::sparse:
      return pick(random, 2) == 0 ? 0 : scale * z;
    default:
      return scale * z;
  }
}

}  // namespace

std::vector<float> numbers(Data data, std::size_t n, std::size_t cols, std::size_t fan_in,
                           Random& random) {
  std::vector<float> v(n);
  const float scale = 1 / std::sqrt(static_cast<float>(fan_in));
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = number(data, i % cols, scale, random);
    const bool second = i % cols % 2 == 1;
    if (second && data == Data::pairs)
      v[i] = -std::nextafter(v[i - 1], pick(random, 2) == 0 ? 1e30f : -1e30f);
    if (second && data == Data::duplicated) v[i] = v[i - 1];
  }
  return v;
}

}  // namespace ulpfuzz::bench
