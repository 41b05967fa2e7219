#pragma once

#include <cstdint>
#include <limits>

#include "ulpfuzz/kernels/execution_space.hpp"

/// fp64 numbers, one or several side by side, rounded to narrower formats.
namespace ulpfuzz::kernels {

constexpr double power_of_two(int exponent) {  // of a normal fp64 number
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
}

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

/// One number at a time; a type like it of several side by side, with the operators of numbers,
/// makes the functions below work on these.
struct Scalar {
  using Double = double;
  using Bits = std::uint64_t;
  using Ints = std::int32_t;
  static constexpr unsigned width = 1;
  /// The integer next to x toward zero, |x| < 2^31.
  ULPFUZZ_HOST_DEVICE static Ints integer(double x) { return static_cast<Ints>(x); }
  ULPFUZZ_HOST_DEVICE static double real(Ints x) { return x; }
  /// Modulo 2^32.
  ULPFUZZ_HOST_DEVICE static Ints add(Ints x, Ints y) {
    return static_cast<Ints>(static_cast<std::uint32_t>(x) + static_cast<std::uint32_t>(y));
  }
  ULPFUZZ_HOST_DEVICE static double load(const float* from) { return *from; }
  ULPFUZZ_HOST_DEVICE static double load(const double* from) { return *from; }
  ULPFUZZ_HOST_DEVICE static Ints load(const std::int32_t* from) { return *from; }
  ULPFUZZ_HOST_DEVICE static Ints narrow(Bits x) { return static_cast<Ints>(x); }
  ULPFUZZ_HOST_DEVICE static Bits widen(Ints x) { return static_cast<Bits>(x); }
  ULPFUZZ_HOST_DEVICE static bool any(Ints x) { return x != 0; }
  /// Rounded to fp32.
  ULPFUZZ_HOST_DEVICE static void store(double x, float* to) { *to = static_cast<float>(x); }
};

/// The exponent field of x, less its bias.
template <class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Ints exponent_field(
    typename N::Double x) {
  return N::narrow(__builtin_bit_cast(typename N::Bits, x) >> 52 & 0x7ff) - 1023;
}

/// 2^e of a normal number.
template <class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double powers_of_two(
    typename N::Ints e) {
  return __builtin_bit_cast(typename N::Double, N::widen(e + 1023) << 52);
}

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

/// x rounded toward zero to fp32, subnormals gradually; infinity from 2^128 on.
template <class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double cut_to_fp32(
    typename N::Double x) {
  using Double = typename N::Double;
  using Bits = typename N::Bits;
  constexpr std::uint64_t rest = (std::uint64_t{1} << 29) - 1;
  const Bits bits = __builtin_bit_cast(Bits, x);
  const Double magnitude = __builtin_bit_cast(Double, bits & ~sign_bit);
  const Double normal = __builtin_bit_cast(Double, bits & ~rest);
  // Adding this number, whose quantum is 2^-149, rounds to nearest: one step back if that was up.
  constexpr double shift = 0x1.8p-97;
  const Double nearest = (magnitude + shift) - shift;
  const Double lower = nearest - 0x1p-149;
  const Double small = with_sign<N>(nearest > magnitude ? lower : nearest, bits);
  const Double infinity = with_sign<N>(Double{} + std::numeric_limits<double>::infinity(), bits);
  const Double y = magnitude < Double{} + 0x1p-126 ? small : normal;
  return magnitude < Double{} + 0x1p128 ? y : infinity;
}

/// Subnormals of fp32 as zeros of their sign.
template <class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double flushed(typename N::Double x) {
  using Double = typename N::Double;
  const auto bits = __builtin_bit_cast(typename N::Bits, x);
  const Double magnitude = __builtin_bit_cast(Double, bits & ~sign_bit);
  const Double zero = __builtin_bit_cast(Double, bits & sign_bit);
  return magnitude < Double{} + 0x1p-126 ? zero : x;
}

}  // namespace ulpfuzz::kernels
