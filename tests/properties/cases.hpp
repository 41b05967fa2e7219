#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

/// Hand-made cases and subjects for the tests of properties.
namespace ulpfuzz::trials {

inline Tensor random_tensor(std::uint32_t rows, std::uint32_t cols, std::mt19937& engine,
                            float scale = 1) {
  std::uniform_real_distribution<float> draw(-scale, scale);
  Tensor t(rows, cols);
  for (float& v : t.data) v = draw(engine);
  return t;
}

/// Random data for a network, and the batch cut into single rows.
inline Case with_data(Network network, std::uint32_t batch, unsigned seed = 1) {
  std::mt19937 engine(seed);
  Case c;
  for (const NodeId id : network.parameters()) {
    const Shape s = network.node(id).shape;
    c.parameters.push_back(random_tensor(s.rows, s.cols, engine));
  }
  for (const NodeId id : network.inputs()) {
    c.inputs.push_back(
        random_tensor(batch, static_cast<std::uint32_t>(network.node(id).shape.size()), engine));
  }
  c.network = std::move(network);
  c.cotangents = random_tensor(batch, static_cast<std::uint32_t>(c.output_width()), engine);
  for (std::uint32_t r = 0; r < batch; ++r) c.split.push_back({{r}, 0});
  return c;
}

/// Widths joined by linear layers with bias, with `between` after each but the last.
inline Case mlp(const std::vector<std::uint32_t>& widths, std::uint32_t batch,
                Op between = Op::tanh, unsigned seed = 1) {
  Network n;
  NodeId h = n.input(widths.front());
  for (std::size_t l = 1; l < widths.size(); ++l) {
    if (l > 1) h = n.activation(between, h);
    const NodeId weight = n.parameter(widths[l], widths[l - 1]);
    h = n.linear(h, weight, n.parameter(1, widths[l]));
  }
  n.output(h);
  return with_data(std::move(n), batch, seed);
}

/// y = relu(x + p) with one input column, one row and z = x + p given.
inline Case single_relu(float x, float p) {
  Network n;
  n.output(n.activation(Op::relu, n.add(n.input(1), n.parameter(1, 1))));
  Case c = with_data(std::move(n), 1);
  c.inputs[0].data = {x};
  c.parameters[0].data = {p};
  return c;
}

inline std::uint64_t count(const Verdict& v, Tier tier) {
  return v.elements[static_cast<std::size_t>(tier)];
}

inline Verdict check(const Property& property, const Case& c, const Subject& subject,
                     const CheckOptions& options = {}) {
  CheckContext context;
  return property.check(c, subject, options, context);
}

/// Plain loops, honest, by another name.
class Plain : public KernelSubject {
 public:
  std::string_view name() const override { return "plain"; }
};

/// Honest but for `change`, which is applied to the outputs of each call.
template <class Change>
class Changed final : public Subject {
 public:
  explicit Changed(Change change) : change_(std::move(change)) {}
  std::string_view name() const override { return "changed"; }
  void evaluate(const Evaluation& e) const override {
    plain_.evaluate(e);
    change_(e);
  }

 private:
  Plain plain_;
  Change change_;
};

}  // namespace ulpfuzz::trials
