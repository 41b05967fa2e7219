#include "fresh.hpp"

#include <array>
#include <bit>
#include <vector>

#include "ulpfuzz/generators/source.hpp"

namespace ulpfuzz::shrinking {
namespace {

// What tf32, fp16 and bf16 round, what vanishes beside 1 or beside 1 + 2^-23, and what is larger
// than what numbers near 1 can add up to.
constexpr std::array<float, 16> witnesses{
    1, 1, 1, 1, 1, 1, 0, 0, -1, -1, 0x1.002p0f, 0x1.000002p0f, 0x1p-24f, 0x1p-24f, 0x1p24f, 3};

/// +-[1/2, 2) with the last of so many stored bits set.
float with_bits(generators::Source& source, int stored) {
  const auto word = static_cast<std::uint32_t>(source.next() >> 32);
  const std::uint32_t last = 1u << (23 - stored);
  const std::uint32_t significand = word & 0x7fffffu & ~(last - 1);
  const std::uint32_t exponent = (word >> 30 & 1u) != 0 ? 0x3f800000u : 0x3f000000u;
  return std::bit_cast<float>((word & 0x80000000u) | exponent | significand | last);
}

float number(generators::Source& source, Fresh fresh, const std::vector<float>& old) {
  switch (fresh) {
    case Fresh::witnesses:
      return witnesses[source.below(witnesses.size())];
    case Fresh::integers: {
      const auto magnitude = static_cast<float>(source.between(1, 16));
      return source.chance(50) ? magnitude : -magnitude;
    }
    case Fresh::few_bits:
      return with_bits(source, 11);
    case Fresh::all_bits:
      return with_bits(source, 23);
    case Fresh::shuffled:
      break;
  }
  return old[source.below(old.size())];
}

}  // namespace

Case with_fresh_numbers(Case c, Fresh fresh, std::uint64_t seed) {
  generators::SeedSource source(seed, static_cast<std::uint64_t>(fresh));
  const auto redraw = [&](Tensor& t) {
    const std::vector<float> old = t.data;
    for (float& x : t.data) x = number(source, fresh, old);
  };
  for (Tensor& t : c.parameters) redraw(t);
  for (Tensor& t : c.inputs) redraw(t);
  redraw(c.cotangents);
  return c;
}

}  // namespace ulpfuzz::shrinking
