#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "jacobian_evaluation.hpp"
#include "jacobian_parts.hpp"
#include "support/example_networks.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

/// Networks with numbers, and what evaluations of them give.
namespace ulpfuzz::diagnosis {

inline constexpr Quantity jacobian = Quantity::parameter_jacobian;

struct Scenario {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<float> x;
  std::vector<const float*> inputs;
  std::size_t rows = 6;

  Evidence evidence(Quantity quantity, const std::vector<float>& a, const std::vector<float>& b) {
    inputs = {x.data()};
    return {network, parameters, rows, inputs, quantity, a, b, {}, {}, 0, 0};
  }
  Evidence apart(Quantity quantity, const std::vector<double>& difference) {
    inputs = {x.data()};
    return {network, parameters, rows, inputs, quantity, {}, {}, difference, {}, 0, 0};
  }
};

/// Fills parameters and `s.rows` rows of the one input of a network.
inline void fill(Scenario& s, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  for (const NodeId id : s.network.parameters()) {
    const Shape shape = s.network.node(id).shape;
    Tensor t(shape.rows, shape.cols);
    for (float& v : t.data) v = normal(random) / std::sqrt(static_cast<float>(shape.cols));
    s.parameters.push_back(std::move(t));
  }
  s.x.resize(s.rows * s.network.node(s.network.inputs()[0]).shape.size());
  for (float& v : s.x) v = normal(random);
}

/// x - square - square - y with the activation between, widths of 2 to 9.
inline Scenario draw(std::uint64_t seed, Op activation) {
  namespace build = examples::build;
  std::mt19937_64 random(~seed);
  std::uniform_int_distribution<std::uint32_t> widths(2, 9);
  Scenario s;
  const NodeId x = s.network.input(widths(random));
  const std::uint32_t square = widths(random);
  NodeId h = s.network.activation(activation, build::dense(s.network, x, square));
  h = s.network.activation(activation, build::dense(s.network, h, square));
  s.network.output(build::dense(s.network, h, widths(random)));
  fill(s, seed);
  return s;
}

inline std::vector<float> evaluate(const Scenario& s, Quantity quantity,
                                   const Emulation& emulation) {
  const float* inputs[] = {s.x.data()};
  return QuantityEvaluator(s.network, s.parameters, quantity)
      .evaluate(Emulated("emulated", emulation), inputs, s.rows);
}

/// fp32 in an order of summation.
inline std::vector<float> evaluate(const Scenario& s, Quantity quantity, const Summation& order) {
  Emulation emulation;
  emulation.summation = order;
  return evaluate(s, quantity, emulation);
}

inline constexpr Summation lanes_fused{Summation::Order::lanes, 8, true, true};
inline constexpr Summation pairwise{Summation::Order::pairwise, 8, false, false};

inline std::vector<std::string> names_of(const Explanation& e) {
  std::vector<std::string> names;
  for (const Match& m : e.matches) names.push_back(m.hypothesis);
  return names;
}

}  // namespace ulpfuzz::diagnosis
