#pragma once

#include <cstdint>
#include <optional>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz {

/// Spacing of `format` at the *exact* value r: 2^(min(max(ilogb r, emin), emax) - precision + 1).
/// ulp(0) is the least subnormal; NaN gives NaN, an infinity the spacing at the top binade.
/// (The definition of JAX's accuracy page: it differs from Goldberg's only next to powers of two.)
double ulp(double r, Format format);

/// Position of x on the line of floats: ordinal(-0) = ordinal(+0) = 0, neighbours differ by one.
std::int64_t ordinal(float x);

/// Number of floats between a and b. -0 and +0 coincide, each subnormal counts one, max to infinity
/// is one, two NaN are 0 apart. Nothing where no distance makes sense: one NaN, opposite infinities.
std::optional<std::uint64_t> ulp_distance(float a, float b);

/// The same for a machine that flushes subnormals: [-2^emin, 2^emin] is contracted to one step
/// each side of zero.
std::optional<std::uint64_t> ulp_distance_flushed(float a, float b);

/// Same bits: tells -0 from +0 and one NaN payload from another.
bool same_bits(float a, float b);

}  // namespace ulpfuzz
