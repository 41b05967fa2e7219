#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tightness/orders.hpp"
#include "ulpfuzz/bounds/analysis.hpp"

namespace ulpfuzz::bench {

/// bound / worst observed error, for the sound (T1) and the probabilistic bound (T2: 6.545 sigma,
/// eps 1e-9 an element): the least ratio over all elements of all trials.
struct Tightness {
  double sound = 0, probable = 0;  ///< 0: no element erred
  std::uint64_t elements = 0;      ///< that erred
  std::uint64_t exceeded = 0;      ///< errors above the sound bound: must stay 0

  void see(double error, double sound_bound, double sigma);
};

/// A multilayer perceptron of `depth` linear layers, width - ... - width - 4, default
/// initialisation (uniform in +-1/sqrt(fan-in)); a single one has 4 outputs as well.
struct Perceptron {
  Network network;
  std::vector<Tensor> parameters;
  Op activation;
  std::size_t layers;

  /// A single layer without bias is four dot products.
  Perceptron(std::size_t width, std::size_t depth, bool bias, Op phi, std::mt19937_64& random);
  const Tensor& weight(std::size_t layer) const { return parameters[layer * step_]; }
  const Tensor* bias(std::size_t layer) const {
    return step_ == 2 ? &parameters[layer * 2 + 1] : nullptr;
  }
  /// Positions of a layer's weight and bias among the network's parameters.
  std::size_t weight_index(std::size_t layer) const { return layer * step_; }

 private:
  std::size_t step_;
};

/// Values of each layer for one row: before (z) and after (h) its activation.
struct Activations {
  std::vector<std::vector<float>> z, h;
};

/// Converts weights and values as `arithmetic` says and adds in the order given.
class PerceptronEvaluator {
 public:
  PerceptronEvaluator(const Perceptron& net, const Arithmetic& arithmetic);
  Activations forward(std::span<const float> x, Order order);
  /// Upstream gradients g of each layer's z for the output given: reverse mode.
  std::vector<std::vector<float>> backward(const Activations& at, std::size_t output, Order order);

 private:
  float convert(float x) const;

  const Perceptron& net_;
  Arithmetic arithmetic_;
  std::vector<std::vector<float>> weights_;     ///< converted
  std::vector<std::vector<float>> transposed_;  ///< made when asked for
  std::vector<float> operand_, scratch_;
};

std::vector<float> normal_row(std::size_t n, std::mt19937_64& random);

}  // namespace ulpfuzz::bench
