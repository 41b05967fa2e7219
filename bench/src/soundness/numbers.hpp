#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ulpfuzz/core/format.hpp"

// Numbers in which the evaluator under judgement computes. Nothing here or in what includes it uses
// the library's kernels, conversions or bounds, so that they cannot be wrong alike.
namespace ulpfuzz::bench {

/// fp32 bits cut or rounded to a significand of fewer bits and the same exponent range (tf32: 13
/// bits dropped, bf16: 16).
inline float drop_bits(float x, int bits, Rounding rounding) {
  auto b = std::bit_cast<std::uint32_t>(x);
  if ((b & 0x7f800000u) == 0x7f800000u) return x;
  const std::uint32_t half = 1u << (bits - 1);
  if (rounding == Rounding::nearest_away) b += half;
  if (rounding == Rounding::nearest_even) b += half - 1 + (b >> bits & 1u);
  return std::bit_cast<float>(b & ~(2 * half - 1));
}

/// x as a multiple of `quantum` (a power of two, such that x / quantum < 2^52 where it matters).
inline double quantised(double x, double quantum, Rounding rounding) {
  const double steps = x / quantum;
  if (!(std::fabs(steps) < 0x1p52)) return x;
  if (rounding == Rounding::toward_zero) return std::trunc(steps) * quantum;
  if (rounding == Rounding::nearest_away) return std::round(steps) * quantum;
  return std::nearbyint(steps) * quantum;
}

/// An exact fp64 value rounded once.
inline float narrowed(double x, Format format, Rounding rounding = Rounding::nearest_even) {
  if (format == Format::fp64 || format == Format::fp32) return static_cast<float>(x);
  if (!std::isfinite(x) || x == 0) return static_cast<float>(x);
  const int precision = format == Format::bf16 ? 8 : 11;
  const int least = format == Format::fp16 ? -14 : -126;
  const double top = format == Format::fp16   ? 65504
                     : format == Format::bf16 ? 0x1.fep127
                                              : 0x1.ffcp127;
  const int exponent = std::max(std::ilogb(x), least);
  const double y = quantised(x, std::ldexp(1.0, exponent - precision + 1), rounding);
  if (std::fabs(y) <= top) return static_cast<float>(y);
  const double beyond =
      rounding == Rounding::toward_zero ? top : std::numeric_limits<double>::infinity();
  return static_cast<float>(std::copysign(beyond, x));
}

/// An fp32 value as an operand of that format.
inline float converted(float x, Format format, Rounding rounding) {
  switch (format) {
    case Format::tf32:
      return drop_bits(x, 13, rounding);
    case Format::bf16:
      return drop_bits(x, 16, rounding);
    case Format::fp16:
      return narrowed(x, Format::fp16, rounding);
    default:
      return x;
  }
}

/// A number whose every operation is rounded to `format`, of this thread. Holds fp32 values as long
/// as no operation made them.
struct Narrow {
  static inline thread_local Format format = Format::bf16;
  float v = 0;

  Narrow() = default;
  Narrow(double x) : v(static_cast<float>(x)) {}  // constants and inputs are not rounded
  explicit operator double() const { return v; }
  explicit operator float() const { return v; }
  static Narrow of(double exact) {
    Narrow n;
    n.v = narrowed(exact, format);
    return n;
  }
  Narrow operator-() const { return Narrow(-double{v}); }
  friend Narrow operator+(Narrow a, Narrow b) { return of(double{a.v} + b.v); }
  friend Narrow operator-(Narrow a, Narrow b) { return of(double{a.v} - b.v); }
  friend Narrow operator*(Narrow a, Narrow b) { return of(double{a.v} * b.v); }
  friend Narrow operator/(Narrow a, Narrow b) { return of(double{a.v} / b.v); }
  friend bool operator<(Narrow a, Narrow b) { return a.v < b.v; }
  friend bool operator>(Narrow a, Narrow b) { return a.v > b.v; }
};

inline float fused(float a, float b, float c) { return std::fma(a, b, c); }
inline double fused(double a, double b, double c) { return std::fma(a, b, c); }
inline long double fused(long double a, long double b, long double c) { return a * b + c; }
inline Narrow fused(Narrow a, Narrow b, Narrow c) { return Narrow::of(double{a.v} * b.v + c.v); }

inline float square_root(float x) { return std::sqrt(x); }
inline double square_root(double x) { return std::sqrt(x); }
inline long double square_root(long double x) { return std::sqrt(x); }
inline Narrow square_root(Narrow x) { return Narrow::of(std::sqrt(double{x.v})); }

/// Numbers that round like a machine, not the reference.
template <class N>
inline constexpr bool is_machine = !std::is_same_v<N, long double>;
template <class N>
inline constexpr bool is_single = std::is_same_v<N, float> || std::is_same_v<N, Narrow>;

inline double wide(float x) { return x; }
inline double wide(double x) { return x; }
inline double wide(long double x) { return static_cast<double>(x); }
inline double wide(Narrow x) { return x.v; }

}  // namespace ulpfuzz::bench
