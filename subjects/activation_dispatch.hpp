#pragma once

#include <cstddef>
#include <stdexcept>

#include "ulpfuzz/kernels/activation.hpp"
#include "ulpfuzz/kernels/activation_derivative.hpp"
#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz {

/// Calls use(phi) with the kernel of an activation.
template <class Use>
void with_activation(Op phi, float alpha, const Use& use) {
  switch (phi) {
    case Op::relu:
      return use(kernels::Relu{});
    case Op::leaky_relu:
      return use(kernels::LeakyRelu{alpha});
    case Op::tanh:
      return use(kernels::Tanh{});
    case Op::sigmoid:
      return use(kernels::Sigmoid{});
    case Op::silu:
      return use(kernels::Silu{});
    case Op::gelu_erf:
      return use(kernels::GeluErf{});
    case Op::gelu_tanh:
      return use(kernels::GeluTanh{});
    case Op::softplus:
      return use(kernels::Softplus{});
    case Op::elu:
      return use(kernels::Elu{alpha});
    default:
      throw std::invalid_argument("an op that is no activation; relu .. elu would fit");
  }
}

/// Calls use(phi') with the kernel of an activation's derivative.
template <class Use>
void with_derivative(Op phi, float alpha, const Use& use) {
  switch (phi) {
    case Op::relu:
      return use(kernels::ReluDerivative{});
    case Op::leaky_relu:
      return use(kernels::LeakyReluDerivative{alpha});
    case Op::tanh:
      return use(kernels::TanhDerivative{});
    case Op::sigmoid:
      return use(kernels::SigmoidDerivative{});
    case Op::silu:
      return use(kernels::SiluDerivative{});
    case Op::gelu_erf:
      return use(kernels::GeluErfDerivative{});
    case Op::gelu_tanh:
      return use(kernels::GeluTanhDerivative{});
    case Op::softplus:
      return use(kernels::SoftplusDerivative{});
    case Op::elu:
      return use(kernels::EluDerivative{alpha});
    default:
      throw std::invalid_argument("an op that is no activation; relu .. elu would fit");
  }
}

}  // namespace ulpfuzz
