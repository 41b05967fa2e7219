#include "places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ulpfuzz::generators {

std::vector<Place> places(const Case& c) {
  std::vector<Place> result;
  const auto add = [&](std::vector<Tensor> Case::*list, std::size_t i, std::string name) {
    Place place(list, i, std::move(name));
    if (!place.in(c).data.empty()) result.push_back(std::move(place));
  };
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    add(&Case::inputs, i, fmt::format("input {}", i));
  for (std::size_t i = 0; i < c.parameters.size(); ++i)
    add(&Case::parameters, i, fmt::format("parameter {}", i));
  add(nullptr, 0, "cotangents");
  return result;
}

namespace {

constexpr std::uint32_t one = 0x3f800000;

bool is_odd(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits != 0 && bits != one;
}

// Without branches, because batches are long and mostly 0 and 1.
bool any_odd(const float* first, const float* last) {
  unsigned any = 0;
  for (; first != last; ++first) any |= static_cast<unsigned>(is_odd(*first));
  return any != 0;
}

void add(Elements& to, std::size_t i) {
  to.all = to.list.size() < Elements::most;
  if (to.all) to.list.push_back(static_cast<std::uint32_t>(i));
}

}  // namespace

Occupied occupied(const Tensor& tensor) {
  constexpr std::size_t block = 256;
  Occupied found;
  const auto& data = tensor.data;
  for (std::size_t first = 0; first < data.size() && found.odd.all; first += block) {
    const std::size_t last = std::min(first + block, data.size());
    if (!found.nonzero.all && !any_odd(&data[first], data.data() + last)) continue;
    for (std::size_t i = first; i < last; ++i) {
      if (std::bit_cast<std::uint32_t>(data[i]) == 0) continue;
      if (found.nonzero.all) add(found.nonzero, i);
      if (is_odd(data[i]) && found.odd.all) add(found.odd, i);
    }
  }
  if (!found.odd.all) found.nonzero.all = false;
  return found;
}

void apply(const Kind& kind, Tensor& tensor) {
  for (float& x : tensor.data) x = kind(x);
}

float to_zero(float, int) { return 0; }

float finite_to_zero(float x, int) { return std::isfinite(x) ? 0 : x; }

float to_one(float, int) { return 1; }

float to_unit(float x, int) { return std::isnan(x) ? 1 : std::copysign(1.0f, x); }

float to_integer(float x, int) {
  if (!std::isfinite(x)) return x;
  const float near = std::nearbyint(x);
  return near == 0 ? to_unit(x, 0) : near;
}

float to_bits(float x, int bits) {
  const auto pattern = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t magnitude = pattern & 0x7fffffffu;
  if (!std::isfinite(x) || magnitude == 0) return x;
  const int leading = magnitude < 0x800000u ? std::bit_width(magnitude) - 1 : 23;
  const int drop = leading + 1 - bits;
  return drop <= 0 ? x : std::bit_cast<float>(pattern & ~((1u << drop) - 1));
}

float to_end_bits(float x, int) {
  const auto pattern = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t fraction = pattern & 0x7fffffu;
  if (!std::isfinite(x) || fraction == 0) return x;
  const bool normal = (pattern & 0x7f800000u) != 0;
  const std::uint32_t first = normal ? 0 : std::bit_floor(fraction);
  return std::bit_cast<float>((pattern & 0xff800000u) | first | (fraction & (~fraction + 1)));
}

float to_next_power(float x, int) {
  if (!std::isfinite(x) || x == 0) return x;
  return std::copysign(std::scalbn(1.0f, std::ilogb(x) + 1), x);
}

float to_magnitude(float x, int) { return std::fabs(x); }

float to_exponent(float x, int percent) {
  if (!std::isfinite(x) || x == 0) return x;
  const int exponent = std::ilogb(x);
  return std::scalbn(x, exponent * percent / 100 - exponent);
}

float to_smaller_exponent(float x, int) {
  if (!std::isfinite(x) || x == 0) return x;
  const int exponent = std::ilogb(x);
  return exponent == 0 ? x : std::scalbn(x, exponent > 0 ? -1 : 1);
}

float to_plain(float x, int) {
  if (std::isnan(x)) return std::numeric_limits<float>::quiet_NaN();
  return std::isinf(x) ? std::copysign(0x1p127f, x) : x;
}

}  // namespace ulpfuzz::generators
