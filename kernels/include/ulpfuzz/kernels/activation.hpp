#pragma once

#include "ulpfuzz/kernels/elementary.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// An activation is written once, as   value(x, f, g)  with  f = first(first_argument(x))  and
/// g = second(second_argument(x, f)),  so that the library functions can be evaluated one element
/// at a time (`apply`) or a whole array at a time by vectorised libraries. All propagate NaN, and
/// none overflows where its value is finite.
struct Elementwise {
  static constexpr Function first = Function::none;
  static constexpr Function second = Function::none;
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return x;
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T second_argument(T, T f) const {
    return f;
  }
};

template <class F, class T>
ULPFUZZ_HOST_DEVICE inline T apply(const F& phi, T x) {
  const T f = elementary<F::first>(phi.first_argument(x));
  const T g = elementary<F::second>(phi.second_argument(x, f));
  return phi.value(x, f, g);
}

struct Relu : Elementwise {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T) const {
    return x < T(0) ? T(0) : x;
  }
};

struct LeakyRelu : Elementwise {
  float slope;
  ULPFUZZ_HOST_DEVICE explicit LeakyRelu(float alpha) : slope(alpha) {}
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T) const {
    return x < T(0) ? T(slope) * x : x;
  }
};

struct Tanh : Elementwise {
  static constexpr Function first = Function::tanh;
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T, T f, T) const {
    return f;
  }
};

/// 1 / (1 + e^-x) for x >= 0, e^x / (1 + e^x) else.
struct Sigmoid : Elementwise {
  static constexpr Function first = Function::exp;
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return minus_magnitude(x);
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T) const {
    return (x < T(0) ? f : T(1)) / (T(1) + f);
  }
};

struct Silu : Sigmoid {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T g) const {
    return x * Sigmoid::value(x, f, g);
  }
};

struct GeluErf : Elementwise {
  static constexpr Function first = Function::erf;
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return x * Constants<T>::sqrt_half;
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T) const {
    return T(0.5f) * x * (T(1) + f);
  }
};

struct GeluTanh : Elementwise {
  static constexpr Function first = Function::tanh;
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return Constants<T>::sqrt_two_over_pi * (x + Constants<T>::gelu_cubic * (x * x * x));
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T) const {
    return T(0.5f) * x * (T(1) + f);
  }
};

/// max(x, 0) + log1p(e^-|x|)
struct Softplus : Elementwise {
  static constexpr Function first = Function::exp;
  static constexpr Function second = Function::log1p;
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return minus_magnitude(x);
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T g) const {
    return (x < T(0) ? T(0) : x) + g;
  }
};

struct Elu : Elementwise {
  static constexpr Function first = Function::expm1;
  float alpha;
  ULPFUZZ_HOST_DEVICE explicit Elu(float a) : alpha(a) {}
  template <class T>
  ULPFUZZ_HOST_DEVICE T first_argument(T x) const {
    return x > T(0) ? T(0) : x;
  }
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T f, T) const {
    return x > T(0) ? x : T(alpha) * f;
  }
};

}  // namespace ulpfuzz::kernels
