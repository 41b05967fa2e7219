#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/example_networks.hpp"
#include "support/naive_evaluator.hpp"
#include "ulpfuzz/network/derivatives.hpp"
#include "ulpfuzz/subjects/registry.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

/// Networks with random data for the tests of subjects.
namespace ulpfuzz::trials {

inline Tensor random_tensor(std::size_t rows, std::size_t cols, std::mt19937& engine) {
  std::uniform_real_distribution<float> draw(-1.25f, 1.25f);
  Tensor t(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
  for (float& v : t.data) v = draw(engine);
  return t;
}

/// A network, also a derivative one, with data for a batch.
struct Trial {
  Network network;
  std::size_t batch;
  std::vector<Tensor> parameters;
  std::vector<Tensor> inputs;

  Trial(Network n, std::size_t rows, unsigned seed) : network(std::move(n)), batch(rows) {
    std::mt19937 engine(seed);
    for (const NodeId id : network.parameters()) {
      const Shape s = network.node(id).shape;
      parameters.push_back(random_tensor(s.rows, s.cols, engine));
    }
    for (const NodeId id : network.inputs()) {
      const Node& node = network.node(id);
      inputs.push_back(random_tensor(network.entries(node, batch), node.shape.size(), engine));
    }
  }

  std::vector<const float*> input_pointers() const {
    std::vector<const float*> list;
    for (const Tensor& t : inputs) list.push_back(t.data.data());
    return list;
  }

  std::vector<std::vector<float>> run(const Subject& subject, unsigned offset = 0) const {
    Caller caller;
    const auto pointers = input_pointers();
    const Outputs out = caller.run(subject, network, parameters, batch, pointers, offset);
    std::vector<std::vector<float>> values;
    for (const auto& y : out.values) values.emplace_back(y.begin(), y.end());
    return values;
  }

  std::vector<naive::Values> expected() const {
    return naive::evaluate(network, parameters, batch, inputs);
  }
};

/// The network itself and every derivative network that schedules use.
inline std::vector<Network> with_derivatives(const Network& network) {
  DerivedNetworks derived = derive(network);
  std::vector<Network> list = {network, std::move(derived.loop), std::move(derived.reverse),
                               std::move(derived.summed)};
  for (Network& n : derived.forward) list.push_back(std::move(n));
  return list;
}

/// A case on a network, all rows in one slice.
inline Case make_case(const Network& network, std::size_t batch, unsigned seed) {
  Trial trial(network, batch, seed);
  std::mt19937 engine(seed + 1);
  Case c;
  c.network = network;
  c.parameters = std::move(trial.parameters);
  c.inputs = std::move(trial.inputs);
  c.cotangents = random_tensor(batch, c.output_width(), engine);
  return c;
}

/// A plain multilayer perceptron.
inline Network mlp(std::vector<std::uint32_t> widths, Op activation) {
  Network n;
  NodeId h = n.input(widths.front());
  for (std::size_t i = 1; i < widths.size(); ++i) {
    h = examples::build::dense(n, h, widths[i]);
    if (i + 1 < widths.size()) h = n.activation(activation, h);
  }
  n.output(h);
  return n;
}

inline const Registry& subjects() {
  static const Registry registry = builtin_subjects();
  return registry;
}

inline const Subject& loops() { return *subjects().find("loops"); }

/// Those of them that this machine can run.
inline std::vector<const Subject*> available() {
  std::vector<const Subject*> list = subjects().all();
  std::erase_if(list, [](const Subject* s) { return s->unavailable().has_value(); });
  return list;
}

/// Names a parametrised test by its subject.
inline std::string subject_name(const testing::TestParamInfo<const Subject*>& test) {
  std::string name(test.param->name());
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

}  // namespace ulpfuzz::trials

namespace ulpfuzz {
inline void PrintTo(const Subject* subject, std::ostream* os) { *os << subject->name(); }
}  // namespace ulpfuzz
