#pragma once

#include <stdexcept>

#include "ulpfuzz/kernels/phi.hpp"
#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz {

/// The kernels' name of an activation.
inline kernels::Phi phi_of(Op op) {
  using kernels::Phi;
  switch (op) {
    case Op::relu:
      return Phi::relu;
    case Op::leaky_relu:
      return Phi::leaky_relu;
    case Op::tanh:
      return Phi::tanh;
    case Op::sigmoid:
      return Phi::sigmoid;
    case Op::silu:
      return Phi::silu;
    case Op::gelu_erf:
      return Phi::gelu_erf;
    case Op::gelu_tanh:
      return Phi::gelu_tanh;
    case Op::softplus:
      return Phi::softplus;
    case Op::elu:
      return Phi::elu;
    default:
      throw std::invalid_argument("an op that is no activation; relu .. elu would fit");
  }
}

/// Calls use(phi) with the kernel of an activation.
template <class Use>
void with_activation(Op phi, float alpha, const Use& use) {
  kernels::with_phi(phi_of(phi), alpha, use);
}

/// Calls use(phi') with the kernel of an activation's derivative.
template <class Use>
void with_derivative(Op phi, float alpha, const Use& use) {
  kernels::with_phi_derivative(phi_of(phi), alpha, use);
}

}  // namespace ulpfuzz
