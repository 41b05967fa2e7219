#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bounds::testing {

/// A multilayer perceptron as frameworks initialise it: weights and biases uniform in
/// +-1/sqrt(inputs), one row of normal inputs, an activation after every layer but the last.
struct Mlp {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<float> input;
  std::size_t batch = 1;

  Mlp(const std::vector<std::uint32_t>& widths, std::uint64_t seed, Op activation = Op::relu,
      std::size_t rows = 1)
      : batch(rows) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal;
    input.resize(rows * widths.front());
    for (float& x : input) x = normal(random);
    NodeId h = network.input(widths.front());
    for (std::size_t l = 1; l < widths.size(); ++l) {
      const NodeId weight = parameter(widths[l], widths[l - 1], widths[l - 1], random);
      h = network.linear(h, weight, parameter(1, widths[l], widths[l - 1], random));
      if (l + 1 < widths.size()) h = network.activation(activation, h);
    }
    network.output(h);
  }

 private:
  NodeId parameter(std::uint32_t rows, std::uint32_t cols, std::uint32_t inputs,
                   std::mt19937_64& random) {
    const float limit = 1 / std::sqrt(static_cast<float>(inputs));
    std::uniform_real_distribution<float> uniform(-limit, limit);
    std::vector<float> values(std::size_t{rows} * cols);
    for (float& x : values) x = uniform(random);
    parameters.emplace_back(rows, cols, std::move(values));
    return network.parameter(rows, cols);
  }
};

}  // namespace ulpfuzz::bounds::testing
