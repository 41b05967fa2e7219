#pragma once

#include <cmath>

#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// The library functions that activations are built from.
enum class Function { none, exp, expm1, log1p, tanh, erf };

/// One of them at x, in T's own accuracy: the standard library's for float and double, found by
/// argument-dependent lookup for other types.
template <Function F, class T>
ULPFUZZ_HOST_DEVICE inline T elementary(T x) {
  using std::erf, std::exp, std::expm1, std::log1p, std::tanh;
  if constexpr (F == Function::exp) return exp(x);
  if constexpr (F == Function::expm1) return expm1(x);
  if constexpr (F == Function::log1p) return log1p(x);
  if constexpr (F == Function::tanh) return tanh(x);
  if constexpr (F == Function::erf) return erf(x);
  return x;
}

/// Constants, rounded to nearest in T. The second word is what hi leaves out, for types wider than
/// double (specialised beside them).
template <class T>
struct Constants {
  static constexpr T sqrt_half = T(0.70710678118654752440L);
  static constexpr T inv_sqrt_two_pi = T(0.39894228040143267794L);
  static constexpr T sqrt_two_over_pi = T(0.79788456080286535588L);
  static constexpr T gelu_cubic = T(0.044715L);
};

template <class T>
ULPFUZZ_HOST_DEVICE inline T minus_magnitude(T x) {
  return x > T(0) ? -x : x;
}

}  // namespace ulpfuzz::kernels
