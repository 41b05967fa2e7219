#include "tightness/trial.hpp"

#include <algorithm>
#include <cmath>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::bench {

void Tightness::see(double error, double sound_bound, double sigma) {
  if (error == 0) return;
  ++elements;
  if (!(error <= sound_bound)) ++exceeded;
  const double a = sound_bound / error;
  const double b = bounds::lambda(1) * sigma / error;
  sound = sound == 0 ? a : std::min(sound, a);
  probable = probable == 0 ? b : std::min(probable, b);
}

Perceptron::Perceptron(std::size_t width, std::size_t depth, bool bias, Op phi,
                       std::mt19937_64& random)
    : activation(phi), layers(depth), step_(bias ? 2 : 1) {
  const auto cols = static_cast<std::uint32_t>(width);
  const float limit = static_cast<float>(1 / std::sqrt(static_cast<double>(width)));
  std::uniform_real_distribution<float> uniform(-limit, limit);
  NodeId h = network.input(cols);
  for (std::size_t l = 0; l < depth; ++l) {
    const std::uint32_t rows = l + 1 == depth ? 4 : cols;
    const auto parameter = [&](std::uint32_t m, std::uint32_t n) {
      Tensor t(m, n);
      for (float& v : t.data) v = uniform(random);
      parameters.push_back(std::move(t));
      return network.parameter(m, n);
    };
    const NodeId w = parameter(rows, cols);
    h = bias ? network.linear(h, w, parameter(1, rows)) : network.linear(h, w);
    if (l + 1 < depth) h = network.activation(phi, h);
  }
  network.output(h);
}

PerceptronEvaluator::PerceptronEvaluator(const Perceptron& net, const Arithmetic& arithmetic)
    : net_(net), arithmetic_(arithmetic) {
  for (std::size_t l = 0; l < net.layers; ++l) {
    std::vector<float> w = net.weight(l).data;
    for (float& v : w) v = convert(v);
    weights_.push_back(std::move(w));
  }
}

float PerceptronEvaluator::convert(float x) const {
  return static_cast<float>(round_to(x, arithmetic_.operand, arithmetic_.conversion));
}

Activations PerceptronEvaluator::forward(std::span<const float> x, Order order) {
  Activations at;
  at.h.emplace_back(x.begin(), x.end());
  for (std::size_t l = 0; l < weights_.size(); ++l) {
    operand_ = at.h.back();
    for (float& v : operand_) v = convert(v);
    const Tensor* const bias = net_.bias(l);
    std::vector<float> z(net_.weight(l).rows);
    for (std::size_t j = 0; j < z.size(); ++j) {
      z[j] = dot(order, weights_[l].data() + j * operand_.size(), operand_.data(), operand_.size(),
                 scratch_);
      if (bias) z[j] += bias->data[j];
    }
    at.h.push_back(z);
    if (l + 1 < weights_.size())
      for (float& v : at.h.back())
        v = net_.activation == Op::tanh ? std::tanh(v) : std::max(v, 0.0f);
    at.z.push_back(std::move(z));
  }
  return at;
}

std::vector<std::vector<float>> PerceptronEvaluator::backward(const Activations& at,
                                                              std::size_t output, Order order) {
  const std::size_t layers = weights_.size();
  if (transposed_.empty()) {
    for (std::size_t l = 0; l < layers; ++l) {
      const std::size_t n = at.z[l].size(), k = at.h[l].size();
      std::vector<float> t(n * k);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < k; ++j) t[j * n + i] = weights_[l][i * k + j];
      transposed_.push_back(std::move(t));
    }
  }
  std::vector<std::vector<float>> g(layers);
  g.back().assign(at.z.back().size(), 0);
  g.back()[output] = 1;
  for (std::size_t l = layers - 1; l-- > 0;) {
    operand_ = g[l + 1];
    for (float& v : operand_) v = convert(v);
    g[l].resize(at.z[l].size());
    for (std::size_t i = 0; i < g[l].size(); ++i) {
      const float v = dot(order, transposed_[l + 1].data() + i * operand_.size(), operand_.data(),
                          operand_.size(), scratch_);
      const float t = at.h[l + 1][i];
      g[l][i] = net_.activation == Op::tanh ? v * (1 - t * t) : at.z[l][i] > 0 ? v : 0;
    }
  }
  return g;
}

std::vector<float> normal_row(std::size_t n, std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  std::vector<float> x(n);
  for (float& v : x) v = normal(random);
  return x;
}

}  // namespace ulpfuzz::bench
