#pragma once

#include "ulpfuzz/kernels/activation.hpp"

/// phi'(x) of the activations, in the form of activation.hpp. At a kink the derivative from the
/// left is taken, as PyTorch and jax.nn do: relu'(0) = 0.
namespace ulpfuzz::kernels {

struct ReluDerivative : Elementwise {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T) const {
    return x > T(0) ? T(1) : (x <= T(0) ? T(0) : x);
  }
};

struct LeakyReluDerivative : Elementwise {
  float slope;
  ULPFUZZ_HOST_DEVICE explicit LeakyReluDerivative(float alpha) : slope(alpha) {}
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T) const {
    return x > T(0) ? T(1) : (x <= T(0) ? T(slope) : x);
  }
};

/// 1 - t^2
struct TanhDerivative : Tanh {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T, T f, T) const {
    return T(1) - f * f;
  }
};

/// s (1 - s)
struct SigmoidDerivative : Sigmoid {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T g) const {
    const T s = Sigmoid::value(x, f, g);
    return s * (T(1) - s);
  }
};

/// s (1 + x (1 - s))
struct SiluDerivative : Sigmoid {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T g) const {
    const T s = Sigmoid::value(x, f, g);
    return s * (T(1) + x * (T(1) - s));
  }
};

/// (1 + erf(x / sqrt 2)) / 2 + x e^(-x^2 / 2) / sqrt(2 pi)
struct GeluErfDerivative : GeluErf {
  static constexpr Function second = Function::exp;
  template <class T>
  ULPFUZZ_HOST_DEVICE T second_argument(T x, T) const {
    return T(-0.5f) * x * x;
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T g) const {
    return T(0.5f) * (T(1) + f) + x * (g * Constants<T>::inv_sqrt_two_pi);
  }
};

/// (1 + t) / 2 + x (1 - t^2) / 2 * sqrt(2/pi) (1 + 3 * 0.044715 x^2). Where t = +-1 the second term
/// is 0, although x^2 may overflow there.
struct GeluTanhDerivative : GeluTanh {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T) const {
    const T left = T(0.5f) * (T(1) + f);
    const T slope = T(1) - f * f;
    if (slope == T(0)) return left;
    const T inner =
        Constants<T>::sqrt_two_over_pi * (T(1) + T(3) * Constants<T>::gelu_cubic * (x * x));
    return left + T(0.5f) * x * slope * inner;
  }
};

using SoftplusDerivative = Sigmoid;

/// 1 for x > 0, alpha e^x else
struct EluDerivative : Elementwise {
  static constexpr Function first = Function::exp;
  float alpha;
  ULPFUZZ_HOST_DEVICE explicit EluDerivative(float a) : alpha(a) {}
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return x > T(0) ? T(0) : x;
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T) const {
    return x > T(0) ? T(1) : T(alpha) * f;
  }
};

}  // namespace ulpfuzz::kernels
