#pragma once

#include <cstdint>

#include "ulpfuzz/kernels/execution_space.hpp"

/// Conversions of fp32 to the narrower formats of matmul units, in operations that vectorise. All
/// keep NaN, infinity and the sign of zero; subnormals round gradually; what rounds beyond the
/// format's largest value becomes infinity, or that value when cut toward zero (IEEE 754-2019,
/// section 7.4).
namespace ulpfuzz::kernels {

/// To nearest with ties to even or away from zero, or toward zero.
enum class Cut : unsigned char { to_even, to_away, to_zero };

/// x rounded to 24 - Dropped bits; exponents as in fp32. Dropped 13: TF32; 16: bf16. A carry out of
/// the significand moves the exponent up by itself, to infinity at the end.
template <int Dropped, Cut How>
ULPFUZZ_HOST_DEVICE inline float drop_bits(float x) {
  constexpr std::uint32_t half = std::uint32_t{1} << (Dropped - 1);
  constexpr std::uint32_t mask = ~(2 * half - 1);
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  std::uint32_t rounded = bits;
  if constexpr (How == Cut::to_even) rounded += half - 1 + ((bits >> Dropped) & 1);
  if constexpr (How == Cut::to_away) rounded += half;
  // Integers are compared and chosen, not floats: of those gcc 12 makes wrong AVX-512 code.
  return __builtin_bit_cast(float, (bits & 0x7fffffffu) > 0x7f800000u ? bits : rounded & mask);
}

/// first ? a : b, of bits: loops with many choices written as such become branches in gcc 12.
ULPFUZZ_HOST_DEVICE inline std::uint32_t choose(bool first, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(first);
  return (a & mask) | (b & ~mask);
}

/// The multiple of 2^-24 that 0 <= x < 2^-14 rounds to: a subnormal of fp16, or 2^-14.
template <Cut How>
ULPFUZZ_HOST_DEVICE inline float fp16_subnormal(float x) {
  constexpr std::uint32_t quantum = 0x33800000u, half = 0x33000000u;  // 2^-24, 2^-25
  const float even = (x + 0.5f) - 0.5f;  // the quantum of numbers from 0.5 on is 2^-24
  if constexpr (How == Cut::to_even) return even;
  const std::uint32_t lost = __builtin_bit_cast(std::uint32_t, x - even);
  if constexpr (How == Cut::to_zero)
    return even - __builtin_bit_cast(float, choose((lost >> 31) != 0, quantum, 0));
  return even + __builtin_bit_cast(float, choose(lost == half, quantum, 0));  // a tie went down
}

/// x rounded to fp16: 11 bits, least normal 2^-14, largest value 65504.
template <Cut How>
ULPFUZZ_HOST_DEVICE inline float to_fp16(float x) {
  constexpr std::uint32_t least = 0x38800000u, largest = 0x477fe000u, infinity = 0x7f800000u;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const float below = __builtin_bit_cast(float, choose(magnitude < least, magnitude, 0));
  const float small = fp16_subnormal<How>(below);
  const float cut = drop_bits<13, How>(__builtin_bit_cast(float, magnitude));
  const std::uint32_t normal = __builtin_bit_cast(std::uint32_t, cut);
  const std::uint32_t beyond =
      How == Cut::to_zero ? choose(magnitude < infinity, largest, infinity) : infinity;
  std::uint32_t y = choose(magnitude < least, __builtin_bit_cast(std::uint32_t, small), normal);
  y = choose(normal > largest, beyond, y);
  y = choose(magnitude > infinity, magnitude, y);
  return __builtin_bit_cast(float, y | (bits & 0x80000000u));
}

/// Flushes subnormals to zeros of their sign (FTZ, DAZ).
ULPFUZZ_HOST_DEVICE inline float without_subnormals(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  return __builtin_bit_cast(float, (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

}  // namespace ulpfuzz::kernels
