#pragma once

#include <cmath>

#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/kernels/fp64_rounding.hpp"

namespace ulpfuzz::emulated {

/// a + b, inexact sums to the neighbour with an odd last bit: rounding that once more to a format
/// of 51 bits or less gives a + b rounded once (Boldo and Melquiond 2008).
inline double add_to_odd(double a, double b) {
  const double sum = a + b;
  const double of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);  // exact (Knuth, Moller)
  auto bits = __builtin_bit_cast(std::uint64_t, sum);
  // A NaN error, of an infinite sum, compares false.
  if ((error > 0 || error < 0) && bits % 2 == 0) (error > 0) == (sum > 0) ? ++bits : --bits;
  return __builtin_bit_cast(double, bits);
}

/// A number whose operations are rounded to a format narrower than fp32. What it is made of (inputs
/// and constants) is not rounded. For the kernels that take any type of number.
template <Format F>
class Narrow {
 public:
  Narrow() = default;
  template <class U>
  constexpr explicit Narrow(U x) : value_(static_cast<double>(x)) {}
  explicit operator float() const { return static_cast<float>(value_); }

  friend Narrow operator+(Narrow a, Narrow b) { return rounded(add_to_odd(a.value_, b.value_)); }
  friend Narrow operator-(Narrow a, Narrow b) { return a + -b; }
  friend Narrow operator*(Narrow a, Narrow b) { return rounded(a.value_ * b.value_); }
  friend Narrow operator/(Narrow a, Narrow b) { return rounded(a.value_ / b.value_); }
  friend Narrow operator-(Narrow a) { return Narrow(-a.value_); }
  friend bool operator<(Narrow a, Narrow b) { return a.value_ < b.value_; }
  friend bool operator>(Narrow a, Narrow b) { return a.value_ > b.value_; }
  friend bool operator<=(Narrow a, Narrow b) { return a.value_ <= b.value_; }
  friend bool operator==(Narrow a, Narrow b) { return a.value_ == b.value_; }

  // Library functions as in fp32, then rounded.
  friend Narrow exp(Narrow x) { return rounded(std::exp(static_cast<float>(x))); }
  friend Narrow expm1(Narrow x) { return rounded(std::expm1(static_cast<float>(x))); }
  friend Narrow log1p(Narrow x) { return rounded(std::log1p(static_cast<float>(x))); }
  friend Narrow tanh(Narrow x) { return rounded(std::tanh(static_cast<float>(x))); }
  friend Narrow erf(Narrow x) { return rounded(std::erf(static_cast<float>(x))); }
  friend Narrow sqrt(Narrow x) { return rounded(std::sqrt(x.value_)); }

  static Narrow rounded(double x) {
    if constexpr (F == Format::tf32) return Narrow(kernels::to_narrow<11, -126, 128>(x));
    if constexpr (F == Format::bf16) return Narrow(kernels::to_narrow<8, -126, 128>(x));
    return Narrow(kernels::to_narrow<11, -14, 16>(x));
  }

 private:
  double value_ = 0;
};

/// A value that a function gave in fp32.
template <class T>
T settled(float x) {
  if constexpr (requires { T::rounded(x); }) return T::rounded(x);
  return T(x);
}

/// Calls use.template operator()<T>() with the type of number that rounds to `format`.
template <class Use>
void with_number(Format format, const Use& use) {
  switch (format) {
    case Format::fp64:
      return use.template operator()<double>();
    case Format::tf32:
      return use.template operator()<Narrow<Format::tf32>>();
    case Format::bf16:
      return use.template operator()<Narrow<Format::bf16>>();
    case Format::fp16:
      return use.template operator()<Narrow<Format::fp16>>();
    default:
      return use.template operator()<float>();
  }
}

}  // namespace ulpfuzz::emulated
