#pragma once

#include <cmath>
#include <limits>

#include "ulpfuzz/kernels/double_double.hpp"

/// Functions of double-double numbers, with relative errors below 2^-96 for arguments and results
/// inside fp32's range (erf and tanh near 0 included).
namespace ulpfuzz::kernels {

ULPFUZZ_HOST_DEVICE inline DoubleDouble scaled(DoubleDouble x, int exponent) {
  return {std::ldexp(x.hi, exponent), std::ldexp(x.lo, exponent)};
}

/// One Newton step from the double result (Karp and Markstein).
ULPFUZZ_HOST_DEVICE inline DoubleDouble sqrt(DoubleDouble x) {
  if (!(x.hi > 0) || !std::isfinite(x.hi)) return std::sqrt(x.hi);
  const double root = std::sqrt(x.hi);
  const DoubleDouble rest = x - two_prod(root, root);
  return quick_two_sum(root, rest.hi / (2 * root));
}

/// e^x - 1 for |x| <= log(2) / 2: the Taylor series at x / 2^6, then six times
/// e^2r - 1 = (e^r - 1) (2 + (e^r - 1)).
ULPFUZZ_HOST_DEVICE inline DoubleDouble expm1_reduced(DoubleDouble x) {
  constexpr int halvings = 6;
  constexpr int terms = 14;  // (log(2) / 2^7)^14 / 15! < 2^-145
  const DoubleDouble r = scaled(x, -halvings);
  DoubleDouble sum = 1.0;
  for (int i = terms; i > 1; --i) sum = DoubleDouble(1.0) + r * sum / DoubleDouble(i);
  sum = r * sum;
  for (int i = 0; i < halvings; ++i) sum = sum * (DoubleDouble(2.0) + sum);
  return sum;
}

ULPFUZZ_HOST_DEVICE inline DoubleDouble exp(DoubleDouble x) {
  if (std::isnan(x.hi)) return x.hi;
  if (x.hi > 709.0) return std::numeric_limits<double>::infinity();
  if (x.hi < -745.0) return 0.0;
  const double k = std::nearbyint(x.hi / Constants<DoubleDouble>::log_two.hi);
  const DoubleDouble r = x - DoubleDouble(k) * Constants<DoubleDouble>::log_two;
  return scaled(DoubleDouble(1.0) + expm1_reduced(r), static_cast<int>(k));
}

ULPFUZZ_HOST_DEVICE inline DoubleDouble expm1(DoubleDouble x) {
  return std::fabs(x.hi) < 0.34 ? expm1_reduced(x) : exp(x) - DoubleDouble(1.0);
}

/// One Newton step for e^y - 1 = x from the double result.
ULPFUZZ_HOST_DEVICE inline DoubleDouble log1p(DoubleDouble x) {
  const double start = std::log1p(x.hi);
  if (!std::isfinite(start) || x.hi == 0) return start;
  const DoubleDouble e = expm1(start);
  return DoubleDouble(start) + (x - e) / (DoubleDouble(1.0) + e);
}

/// (e^2|x| - 1) / (e^2|x| + 1) with the sign of x.
ULPFUZZ_HOST_DEVICE inline DoubleDouble tanh(DoubleDouble x) {
  if (std::isnan(x.hi) || x.hi == 0) return x;
  const bool negative = x.hi < 0;
  DoubleDouble t = 1.0;
  if (std::fabs(x.hi) < 40.0) {  // beyond, 1 - tanh is below 2^-114
    const DoubleDouble e = expm1(scaled(negative ? -x : x, 1));
    t = e / (e + DoubleDouble(2.0));
  }
  return negative ? -t : t;
}

/// 2 / sqrt(pi) x e^(-x^2) sum over n of (2 x^2)^n / (1 3 5 .. (2n + 1)): all terms are positive.
ULPFUZZ_HOST_DEVICE inline DoubleDouble erf(DoubleDouble x) {
  if (std::isnan(x.hi) || x.hi == 0) return x;
  if (std::fabs(x.hi) > 9.0) return x.hi < 0 ? -1.0 : 1.0;  // erfc(9) < 2^-120
  const DoubleDouble square = x * x;
  const DoubleDouble twice = scaled(square, 1);
  DoubleDouble term = 1.0;
  DoubleDouble sum = 1.0;
  for (int odd = 3; term.hi > sum.hi * 0x1p-112; odd += 2) {
    term = term * twice / DoubleDouble(odd);
    sum = sum + term;
  }
  return Constants<DoubleDouble>::two_over_sqrt_pi * x * exp(-square) * sum;
}

}  // namespace ulpfuzz::kernels
