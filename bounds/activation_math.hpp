#pragma once

#include "vec.hpp"

namespace ulpfuzz::bounds {

/// e^x = scale (1 + p), scale a power of two and |p| < 0.42, to a few 2^-53 relative to p; x is
/// clamped to [-700, 700]. Cody-Waite reduction and the Taylor series to degree 13.
ULPFUZZ_INLINE void exp_parts(const V8& x, V8& scale, V8& p) {
  const V8 clamped = max(min(x, splat(700.0)), splat(-700.0));
  const V8 magic = splat(0x1.8p52);
  const V8 shifted = clamped * 0x1.71547652b82fep0 + magic;
  const V8 n = shifted - magic;
  const V8 r = (clamped - n * 0x1.62e42fefa0000p-1) - n * 0x1.cf79abc9e3b3ap-40;
  scale = (V8)(((I8)shifted + 1023) << 52);
  V8 q = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;
  q = q * r + 1.0 / 39916800.0;
  q = q * r + 1.0 / 3628800.0;
  q = q * r + 1.0 / 362880.0;
  q = q * r + 1.0 / 40320.0;
  q = q * r + 1.0 / 5040.0;
  q = q * r + 1.0 / 720.0;
  q = q * r + 1.0 / 120.0;
  q = q * r + 1.0 / 24.0;
  q = q * r + 1.0 / 6.0;
  q = q * r + 0.5;
  p = r + r * r * q;
}

ULPFUZZ_INLINE void exp(const V8& x, V8& y) {
  V8 scale, p;
  exp_parts(x, scale, p);
  y = scale + scale * p;
}

ULPFUZZ_INLINE void sigmoid(const V8& x, V8& y) {
  V8 e;
  exp(-x, e);
  y = 1.0 / (1.0 + e);
}

/// By expm1(2|x|), so that the relative accuracy holds near zero.
ULPFUZZ_INLINE void tanh(const V8& x, V8& y) {
  V8 scale, p;
  exp_parts(2.0 * min(abs(x), splat(30.0)), scale, p);
  const V8 m = scale * p + (scale - 1.0);
  const V8 t = m / (m + 2.0);
  y = (V8)(((I8)x & ~0x7fffffffffffffffLL) | (I8)t);
}

}  // namespace ulpfuzz::bounds
