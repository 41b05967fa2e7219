#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "ulpfuzz/kernels/elementary.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// An unevaluated sum hi + lo of two doubles, |lo| <= ulp(hi) / 2: about 106 bits. Sums, products
/// and quotients err by at most a few 2^-104 relatively (Joldes, Muller, Popescu, "Tight and
/// rigorous error bounds for basic building blocks of double-word arithmetic", 2017). For values
/// that come from fp32: it is not for results near the ends of fp64's range, where lo underflows,
/// and does not keep the sign of zero. Infinite and NaN results have lo = 0.
struct DoubleDouble {
  double hi = 0;
  double lo = 0;

  DoubleDouble() = default;
  ULPFUZZ_HOST_DEVICE constexpr DoubleDouble(double h, double l = 0) : hi(h), lo(l) {}

  /// Rounded to nearest once: where lo decides, hi is first made odd (rounding to odd of 53 bits
  /// does no harm to a later rounding to 24).
  ULPFUZZ_HOST_DEVICE explicit operator float() const {
    const auto bits = std::bit_cast<std::uint64_t>(hi);
    if (lo == 0 || (bits & 1) != 0) return static_cast<float>(hi);
    const bool away = (lo > 0) == (hi > 0);
    return static_cast<float>(std::bit_cast<double>(away ? bits | 1 : bits - 1));
  }
};

/// h + l of any size, exactly; infinite and NaN sums without a rest.
ULPFUZZ_HOST_DEVICE inline DoubleDouble two_sum(double a, double b) {
  const double s = a + b;
  const double t = s - a;
  const double rest = (a - (s - t)) + (b - t);
  return {s, std::isfinite(s) ? rest : 0.0};
}

/// The same for |a| >= |b| or a = 0.
ULPFUZZ_HOST_DEVICE inline DoubleDouble quick_two_sum(double a, double b) {
  const double s = a + b;
  return {s, std::isfinite(s) ? b - (s - a) : 0.0};
}

/// a b exactly, barring underflow.
ULPFUZZ_HOST_DEVICE inline DoubleDouble two_prod(double a, double b) {
  const double p = a * b;
  return {p, std::isfinite(p) ? std::fma(a, b, -p) : 0.0};
}

ULPFUZZ_HOST_DEVICE inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

ULPFUZZ_HOST_DEVICE inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble s = two_sum(a.hi, b.hi);
  const DoubleDouble t = two_sum(a.lo, b.lo);
  const DoubleDouble v = quick_two_sum(s.hi, s.lo + t.hi);
  return quick_two_sum(v.hi, v.lo + t.lo);
}

ULPFUZZ_HOST_DEVICE inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) {
  return a + (-b);
}

ULPFUZZ_HOST_DEVICE inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble p = two_prod(a.hi, b.hi);
  if (!std::isfinite(p.hi)) return p;
  return quick_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

ULPFUZZ_HOST_DEVICE inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  if (!std::isfinite(first) || !std::isfinite(b.hi)) return first;
  const DoubleDouble rest = a - DoubleDouble(first) * b;
  const double second = rest.hi / b.hi;
  const double third = (rest - DoubleDouble(second) * b).hi / b.hi;
  return quick_two_sum(first, second) + third;
}

ULPFUZZ_HOST_DEVICE inline bool operator<(DoubleDouble a, DoubleDouble b) {
  return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}
ULPFUZZ_HOST_DEVICE inline bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
ULPFUZZ_HOST_DEVICE inline bool operator==(DoubleDouble a, DoubleDouble b) {
  return a.hi == b.hi && a.lo == b.lo;
}
ULPFUZZ_HOST_DEVICE inline bool operator<=(DoubleDouble a, DoubleDouble b) {
  return a < b || a == b;
}

template <>
struct Constants<DoubleDouble> {
  static constexpr DoubleDouble sqrt_half{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};
  static constexpr DoubleDouble inv_sqrt_two_pi{0x1.9884533d43651p-2, -0x1.cbc0d30ebfd15p-56};
  static constexpr DoubleDouble sqrt_two_over_pi{0x1.9884533d43651p-1, -0x1.cbc0d30ebfd15p-55};
  static constexpr DoubleDouble gelu_cubic{0x1.6e4e26d4801f7p-5, 0x1.441355475a31ap-59};
  static constexpr DoubleDouble log_two{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  static constexpr DoubleDouble two_over_sqrt_pi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
};

}  // namespace ulpfuzz::kernels
