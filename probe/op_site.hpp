#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::probe {

/// A small network with one output, evaluated by a subject.
class OpSite {
 public:
  OpSite(const Subject& subject, Network network, std::vector<Tensor> parameters = {})
      : subject_(subject), network_(std::move(network)), parameters_(std::move(parameters)) {}

  const Network& network() const { return network_; }
  std::span<const Tensor> parameters() const { return parameters_; }
  std::optional<std::string> unsupported() const { return subject_.unsupported(network_); }

  /// The output for inputs [batch, shape]; valid until the next call. Throws SubjectFault.
  std::span<const float> ask(std::size_t batch, const std::vector<std::vector<float>>& inputs) {
    pointers_.clear();
    for (const auto& input : inputs) pointers_.push_back(input.data());
    return caller_.run(subject_, network_, parameters_, batch, pointers_).values[0];
  }
  /// Pointers to the last inputs.
  std::span<const float* const> pointers() const { return pointers_; }

 private:
  const Subject& subject_;
  Network network_;
  std::vector<Tensor> parameters_;
  std::vector<const float*> pointers_;
  Caller caller_;
};

/// Activations that are more than a comparison and a product.
inline constexpr std::array<Op, 7> smooth_activations{
    Op::tanh, Op::sigmoid, Op::silu, Op::gelu_erf, Op::gelu_tanh, Op::softplus, Op::elu};

/// An activation or its derivative on inputs of some width.
Network elementwise(Op op, bool derivative, std::uint32_t width);

/// "tanh", and "tanh'" for its derivative.
inline std::string title(Op op, bool derivative) {
  std::string text(name(op));
  if (derivative) text += '\'';
  return text;
}

}  // namespace ulpfuzz::probe
