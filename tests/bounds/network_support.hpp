#pragma once

#include <span>
#include <vector>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bounds::testing {

/// A network with its parameters and the analysis of one batch.
struct Bench {
  Network network;
  std::vector<Tensor> parameters;
  Analysis analysis;

  NodeId parameter(std::uint32_t rows, std::uint32_t cols, std::vector<float> values) {
    parameters.emplace_back(rows, cols, std::move(values));
    return network.parameter(rows, cols);
  }

  /// Inputs: one vector an input node; the batch follows from the first one.
  OutputBounds run(const std::vector<std::vector<float>>& inputs, const Arithmetic& arithmetic = {},
                   std::span<const ObservedKinks> observed = {}) {
    const std::size_t width = network.node(network.inputs().front()).shape.size();
    return run(inputs.front().size() / width, inputs, arithmetic, observed);
  }
  OutputBounds run(std::size_t batch, const std::vector<std::vector<float>>& inputs,
                   const Arithmetic& arithmetic = {},
                   std::span<const ObservedKinks> observed = {}) {
    std::vector<const float*> pointers;
    for (const auto& v : inputs) pointers.push_back(v.data());
    analysis.run(network, parameters, batch, pointers, arithmetic, observed);
    return analysis.output(0);
  }
};

/// linear(x, weight[1,n]) of one row: the dot product weight . x, with a bias where it is given.
inline void make_dot(Bench& b, const std::vector<float>& weight,
                     const std::vector<float>& bias = {}) {
  const auto n = static_cast<std::uint32_t>(weight.size());
  const NodeId x = b.network.input(n);
  const NodeId w = b.parameter(1, n, weight);
  b.network.output(bias.empty() ? b.network.linear(x, w)
                                : b.network.linear(x, w, b.parameter(1, 1, bias)));
}

inline void make_activation(Bench& b, Op op, float alpha = 1) {
  b.network.output(b.network.activation(op, b.network.input(1), alpha));
}

}  // namespace ulpfuzz::bounds::testing
