#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

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

/// The multiple of 2^-24 that |x| < 2^-14 rounds to: a subnormal of fp16, or 2^-14.
template <Cut How>
ULPFUZZ_HOST_DEVICE inline float fp16_subnormal(float magnitude) {
  const float scaled = magnitude * 0x1p24f;  // exact, below 2^10
  const auto whole = static_cast<std::int32_t>(scaled);
  const float rest = scaled - static_cast<float>(whole);
  std::int32_t up = 0;
  if constexpr (How == Cut::to_even) up = (rest > 0.5f) | ((rest == 0.5f) & (whole & 1));
  if constexpr (How == Cut::to_away) up = rest >= 0.5f;
  return static_cast<float>(whole + up) * 0x1p-24f;
}

/// x rounded to fp16: 11 bits, least normal 2^-14, largest value 65504.
template <Cut How>
ULPFUZZ_HOST_DEVICE inline float to_fp16(float x) {
  const float magnitude = std::fabs(x);
  const float normal = drop_bits<13, How>(magnitude);
  const float beyond = How == Cut::to_zero && magnitude <= std::numeric_limits<float>::max()
                           ? 65504.0f
                           : std::numeric_limits<float>::infinity();
  const float small = fp16_subnormal<How>(magnitude < 0x1p-14f ? magnitude : 0.0f);
  float y = magnitude < 0x1p-14f ? small : normal;
  y = normal > 65504.0f ? beyond : y;
  return std::copysign(magnitude == magnitude ? y : x, x);
}

/// Flushes subnormals to zeros of their sign (FTZ, DAZ).
ULPFUZZ_HOST_DEVICE inline float without_subnormals(float x) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x);
  return __builtin_bit_cast(float, (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

constexpr double power_of_two(int exponent) {  // of a normal fp64 number
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// One number at a time; a type like it of several side by side, with the operators of numbers,
/// makes the functions below work on these.
struct Scalar {
  using Double = double;
  using Bits = std::uint64_t;
  /// The integer next to x toward zero, |x| < 2^31.
  ULPFUZZ_HOST_DEVICE static double whole(double x) {
    return static_cast<double>(static_cast<std::int32_t>(x));
  }
};

/// A magnitude with the sign of other bits.
template <class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double with_sign(
    typename N::Double magnitude, typename N::Bits bits) {
  using Bits = typename N::Bits;
  return __builtin_bit_cast(typename N::Double,
                            __builtin_bit_cast(Bits, magnitude) | (bits & sign_bit));
}

/// x rounded to nearest even to a format of Precision bits whose normal numbers begin at 2^Least
/// and end before 2^End.
template <int Precision, int Least, int End, class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double to_narrow(
    typename N::Double x) {
  using Double = typename N::Double;
  using Bits = typename N::Bits;
  constexpr int dropped = 53 - Precision;
  constexpr std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  const Bits bits = __builtin_bit_cast(Bits, x) & ~sign_bit;
  const Double magnitude = __builtin_bit_cast(Double, bits);
  const Double normal =
      __builtin_bit_cast(Double, (bits + (half - 1) + ((bits >> dropped) & 1)) & ~(2 * half - 1));
  // The quantum of this number is that of subnormals: the addition rounds to it.
  constexpr double shift = 0x1.8p52 * power_of_two(Least - Precision + 1);
  const Double small = (magnitude + shift) - shift;
  Double y = magnitude < Double{} + power_of_two(Least) ? small : normal;
  const Double infinity = Double{} + std::numeric_limits<double>::infinity();
  y = y < Double{} + power_of_two(End) ? y : infinity;
  return with_sign<N>(x - x == Double{} ? y : magnitude, __builtin_bit_cast(Bits, x));
}

}  // namespace ulpfuzz::kernels
