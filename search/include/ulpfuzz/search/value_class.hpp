#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ulpfuzz::search {

/// What a float is to code that may take it for something else.
enum class ValueClass : std::uint8_t {
  normal,
  zero,
  negative_zero,
  subnormal,
  huge,  ///< at least 2^64
  tiny,  ///< normal, below 2^-64
  infinity,
  nan
};
inline constexpr std::size_t value_classes = 8;
std::string_view name(ValueClass);

/// The first of `huge` and the first of `normal` as bits, by which floats without their sign are
/// ordered as numbers.
inline constexpr std::uint32_t huge_bits = std::bit_cast<std::uint32_t>(0x1p64f);
inline constexpr std::uint32_t normal_bits = std::bit_cast<std::uint32_t>(0x1p-64f);

inline ValueClass value_class(float x) {
  constexpr std::uint32_t first_tiny = std::bit_cast<std::uint32_t>(0x1p-126f);
  constexpr std::uint32_t infinite = 255u << 23;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t size = bits & 0x7fffffffu;
  if (bits == 0) return ValueClass::zero;
  if (size == 0) return ValueClass::negative_zero;
  if (size < first_tiny) return ValueClass::subnormal;
  if (size < normal_bits) return ValueClass::tiny;
  if (size < huge_bits) return ValueClass::normal;
  if (size < infinite) return ValueClass::huge;
  return size == infinite ? ValueClass::infinity : ValueClass::nan;
}

}  // namespace ulpfuzz::search
