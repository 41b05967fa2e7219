#pragma once

#include "ulpfuzz/kernels/activation.hpp"
#include "ulpfuzz/kernels/activation_derivative.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"
#include "ulpfuzz/kernels/product.hpp"

namespace ulpfuzz::kernels {

struct Identity : Elementwise {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T) const {
    return x;
  }
};

struct IdentityDerivative : Elementwise {
  template <class T>
  ULPFUZZ_HOST_DEVICE T value(T x, T, T) const {
    return x == x ? T(1) : x;
  }
};

/// `elementary`, with fast_exp and fast_tanh in place of exp and tanh.
template <Function F>
ULPFUZZ_HOST_DEVICE inline float fast_elementary(float x) {
  if constexpr (F == Function::exp) return fast_exp(x);
  if constexpr (F == Function::tanh) return fast_tanh(x);
  return elementary<F>(x);
}

/// use(phi) with the function itself, of type Identity, Relu, ...; what it returns has one type.
ULPFUZZ_ANY_CALLER
template <class Use>
ULPFUZZ_HOST_DEVICE inline auto with_phi(Phi phi, float alpha, const Use& use) {
  switch (phi) {
    case Phi::relu:
      return use(Relu{});
    case Phi::leaky_relu:
      return use(LeakyRelu{alpha});
    case Phi::tanh:
      return use(Tanh{});
    case Phi::sigmoid:
      return use(Sigmoid{});
    case Phi::silu:
      return use(Silu{});
    case Phi::gelu_erf:
      return use(GeluErf{});
    case Phi::gelu_tanh:
      return use(GeluTanh{});
    case Phi::softplus:
      return use(Softplus{});
    case Phi::elu:
      return use(Elu{alpha});
    case Phi::identity:
      break;
  }
  return use(Identity{});
}

/// use(phi') with the derivative.
ULPFUZZ_ANY_CALLER
template <class Use>
ULPFUZZ_HOST_DEVICE inline auto with_phi_derivative(Phi phi, float alpha, const Use& use) {
  switch (phi) {
    case Phi::relu:
      return use(ReluDerivative{});
    case Phi::leaky_relu:
      return use(LeakyReluDerivative{alpha});
    case Phi::tanh:
      return use(TanhDerivative{});
    case Phi::sigmoid:
      return use(SigmoidDerivative{});
    case Phi::silu:
      return use(SiluDerivative{});
    case Phi::gelu_erf:
      return use(GeluErfDerivative{});
    case Phi::gelu_tanh:
      return use(GeluTanhDerivative{});
    case Phi::softplus:
      return use(SoftplusDerivative{});
    case Phi::elu:
      return use(EluDerivative{alpha});
    case Phi::identity:
      break;
  }
  return use(IdentityDerivative{});
}

/// phi(x), chosen at run time: for the epilogues of kernels.
ULPFUZZ_HOST_DEVICE inline float apply_phi(Phi phi, float alpha, float x) {
  if (phi == Phi::identity) return x;
  return with_phi(phi, alpha, [x](const auto& f) { return apply(f, x); });
}

/// `apply` with fast_exp and fast_tanh in place of exp and tanh.
template <class F>
ULPFUZZ_HOST_DEVICE inline float apply_fast(const F& phi, float x) {
  const float f = fast_elementary<F::first>(phi.first_argument(x));
  const float g = fast_elementary<F::second>(phi.second_argument(x, f));
  return phi.value(x, f, g);
}

}  // namespace ulpfuzz::kernels
