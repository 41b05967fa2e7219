#include "soundness/sharpness.hpp"

#include <functional>

namespace ulpfuzz::bench {
namespace {

struct Alone {
  std::string name;
  std::function<NodeId(Network&, Shape)> build;
};

std::vector<Alone> activations() {
  std::vector<Alone> all;
  for (int i = static_cast<int>(Op::relu); i <= static_cast<int>(Op::elu); ++i) {
    const Op op = static_cast<Op>(i);
    const std::string own(name(op));
    all.push_back({own, [op](Network& n, Shape s) { return n.activation(op, n.input(s), 0.7f); }});
    all.push_back(
        {own + "'", [op](Network& n, Shape s) { return n.derivative(op, n.input(s), 0.7f); }});
  }
  return all;
}

std::vector<Alone> rows() {
  return {{"softmax", [](Network& n, Shape s) { return n.softmax(n.input(s)); }},
          {"layer_norm", [](Network& n, Shape s) { return n.layer_norm(n.input(s)); }},
          {"rms_norm", [](Network& n, Shape s) { return n.rms_norm(n.input(s)); }},
          {"softmax_grad",
           [](Network& n, Shape s) {
             const NodeId v = n.input(s);
             return n.softmax_grad(v, n.input(s));
           }},
          {"layer_norm_grad",
           [](Network& n, Shape s) {
             const NodeId v = n.input(s);
             return n.layer_norm_grad(v, n.input(s), 1e-5f);
           }},
          {"rms_norm_grad", [](Network& n, Shape s) {
             const NodeId v = n.input(s);
             return n.rms_norm_grad(v, n.input(s), 1e-5f);
           }}};
}

std::vector<Alone> sums() {
  const auto pair = [](Network& n, Shape s) { return std::pair{n.input(s), n.input(s)}; };
  return {{"add",
           [=](Network& n, Shape s) {
             const auto [a, b] = pair(n, s);
             return n.add(a, b);
           }},
          {"mul",
           [=](Network& n, Shape s) {
             const auto [a, b] = pair(n, s);
             return n.mul(a, b);
           }},
          {"matmul",
           [=](Network& n, Shape s) {
             const auto [a, b] = pair(n, s);
             return n.matmul(a, b, false, true);
           }},
          {"sum_rows",
           [](Network& n, Shape s) {
             return n.sum_rows(n.input({s.cols, s.rows}));
           }},
          {"batch_sum", [](Network& n, Shape s) { return n.batch_sum(n.input(s)); }},
          {"outer_sum", [=](Network& n, Shape s) {
             const auto [a, b] = pair(n, s);
             return n.outer_sum(a, b);
           }}};
}

Trial trial_of(const Alone& op, Random& random) {
  Trial t;
  constexpr std::array<std::uint32_t, 4> widths{2, 3, 8, 24};
  const Shape shape{1 + static_cast<std::uint32_t>(pick(random, 2)), widths[pick(random, 4)]};
  t.model.batch = 1 + pick(random, 4);
  t.model.network.output(op.build(t.model.network, shape));
  t.family = "fp32";
  constexpr std::array<Data, 4> kinds{Data::normal, Data::positive, Data::saturated,
                                      Data::cancelling};
  t.data = kinds[pick(random, kinds.size())];
  for (const NodeId id : t.model.network.inputs()) {
    const Shape s = t.model.network.node(id).shape;
    t.model.inputs.push_back(numbers(t.data, t.model.batch * s.size(), s.cols, 1, random));
  }
  return t;
}

}  // namespace

std::map<std::string, Count> sharpness(std::uint64_t seed, std::size_t cases) {
  Random random(seed);
  std::map<std::string, Count> all;
  std::vector<Alone> ops = activations();
  for (const auto& more : {rows(), sums()}) ops.insert(ops.end(), more.begin(), more.end());
  for (const Alone& op : ops)
    for (std::size_t i = 0; i < cases; ++i) {
      const Trial trial = trial_of(op, random);
      all[op.name].add(judge_trial(trial, random()).tally.by["tier"]["sound"]);
    }
  return all;
}

}  // namespace ulpfuzz::bench
