#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz {

/// Spacing of `format` at the *exact* value r: 2^(min(max(ilogb r, emin), emax) - precision + 1).
/// ulp(0) is the least subnormal; NaN gives NaN, an infinity the spacing at the top binade.
/// (The definition of JAX's accuracy page: it differs from Goldberg's only next to powers of two.)
double ulp(double r, Format format);

/// Position of x on the line of floats: ordinal(-0) = ordinal(+0) = 0, neighbours differ by one.
inline std::int64_t ordinal(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::int64_t magnitude = bits & 0x7fffffffu;
  return bits >> 31 ? -magnitude : magnitude;
}

/// Number of floats between a and b. -0 and +0 coincide, each subnormal counts one, max to infinity
/// is one, two NaN are 0 apart. Nothing where no distance makes sense: one NaN, opposite
/// infinities.
inline std::optional<std::uint64_t> ulp_distance(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    if (std::isnan(a) && std::isnan(b)) return 0;
    return std::nullopt;
  }
  if (std::isinf(a) && std::isinf(b) && a != b) return std::nullopt;
  const std::int64_t d = ordinal(a) - ordinal(b);
  return static_cast<std::uint64_t>(d < 0 ? -d : d);
}

/// The same for a machine that flushes subnormals: [-2^emin, 2^emin] is contracted to one step
/// each side of zero.
std::optional<std::uint64_t> ulp_distance_flushed(float a, float b);

/// Same bits: tells -0 from +0 and one NaN payload from another.
inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

}  // namespace ulpfuzz
