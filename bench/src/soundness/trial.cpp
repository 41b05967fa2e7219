#include "soundness/trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr double most_work = 6e6;    // multiply-adds of one evaluation
constexpr double most_values = 4e5;  // elements of all nodes

struct Size {
  double work = 0, values = 0;
  bool fits() const { return work <= most_work && values <= most_values; }
};

Size size_of(const Network& n, std::size_t batch) {
  Size s;
  for (const Node& node : n.nodes()) {
    const auto count = static_cast<double>(n.entries(node, batch) * node.shape.size());
    double terms = 1;
    if (node.op == Op::linear || node.op == Op::matmul) {
      const Shape a = n.node(node.args[0]).shape;
      terms = node.transpose_a ? a.rows : a.cols;
    }
    if (node.op == Op::outer_sum || node.op == Op::batch_sum)
      terms = static_cast<double>(n.entries(n.node(node.args[0]), batch)) *
              n.node(node.args[0]).shape.rows;
    s.values += count;
    s.work += count * terms;
  }
  return s;
}

// Cotangents: all unit vectors where there are as many repeats as outputs, else random numbers.
std::vector<float> cotangents(const Model& m, std::uint32_t repeat, Data data, Random& random) {
  const std::size_t width = m.network.node(m.network.outputs()[0]).shape.size();
  std::vector<float> c = numbers(data, m.batch * repeat * width, width, 1, random);
  if (repeat > 1)
    for (std::size_t i = 0; i < c.size(); ++i) c[i] = i / width % repeat == i % width ? 1 : 0;
  return c;
}

bool differentiate(Trial& t, Random& random) {
  const Model& m = t.model;
  const auto width =
      static_cast<std::uint32_t>(m.network.node(m.network.outputs()[0]).shape.size());
  const std::uint32_t repeat = t.mode == Mode::jacobian ? width : 1;
  const Reduction reduction = t.mode == Mode::batch_sum ? Reduction::batch_sum : Reduction::per_row;
  if (t.mode == Mode::tangents) {
    const std::size_t all = m.network.inputs().size() + m.network.parameters().size();
    const std::size_t wrt = pick(random, all);
    const auto& inputs = m.network.inputs();
    const NodeId of =
        wrt < inputs.size() ? inputs[wrt] : m.network.parameters()[wrt - inputs.size()];
    if (m.network.node(of).shape.size() > 300) return false;
    Network derived = jvp(m.network, wrt);
    if (!size_of(derived, m.batch).fits()) return false;
    t.model.network = std::move(derived);
    return true;
  }
  if (repeat > 64) return false;
  Network derived = vjp(m.network, repeat, reduction);
  if (!size_of(derived, m.batch).fits()) return false;
  constexpr std::array<Data, 3> kinds{Data::normal, Data::positive, Data::integers};
  t.model.inputs.push_back(cotangents(m, repeat, kinds[pick(random, 3)], random));
  t.model.network = std::move(derived);
  return true;
}

bool has_low_bits(const Model& m) {
  const auto suits = [](std::span<const float> v) {
    return v.size() < 4 || bounds::has_random_low_bits(v);
  };
  for (const auto& x : m.inputs)
    if (!suits(x)) return false;
  return std::all_of(m.parameters.begin(), m.parameters.end(),
                     [&](const Tensor& p) { return suits(p.data); });
}

// More rows for a batch-summed gradient, where they are cheap.
void widen_batch(Trial& t, Random& random) {
  Model& m = t.model;
  const std::size_t rows = t.width_class <= 2 ? 1 + pick(random, 60) : 1 + pick(random, 6);
  for (std::size_t i = 0; i < m.inputs.size(); ++i) {
    const Shape s = m.network.node(m.network.inputs()[i]).shape;
    m.inputs[i] = numbers(t.data, rows * s.size(), s.cols, 1, random);
  }
  m.batch = rows;
}

}  // namespace

Trial make_trial(std::uint64_t seed, std::uint64_t index, const Choice& choice) {
  std::seed_seq sequence{seed, seed >> 32, index, index >> 32, std::uint64_t{20}};
  Random random(sequence);
  Trial t;
  constexpr std::array<std::size_t, 16> classes{0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5};
  t.width_class = std::min(classes[pick(random, classes.size())], choice.widest);
  t.depth = 1 + pick(random, 8);
  t.data = pick(random, 3) == 0 ? Data::normal : static_cast<Data>(pick(random, data_names.size()));
  if (!choice.data.empty()) {
    const auto& named = choice.data[pick(random, choice.data.size())];
    const auto at = std::find(data_names.begin(), data_names.end(), named);
    t.data = static_cast<Data>(at - data_names.begin());
  }
  t.mode = static_cast<Mode>(pick(random, mode_names.size()));
  const int primal = static_cast<int>(Op::reshape) - static_cast<int>(Op::linear) + 1;
  const auto last =
      static_cast<Op>(static_cast<int>(Op::linear) +
                      static_cast<int>(pick(random, static_cast<std::size_t>(primal))));
  t.model = random_model(t.width_class, t.depth, last, t.data, random);
  if (t.mode == Mode::batch_sum) widen_batch(t, random);
  if (t.data == Data::near_kink && size_of(t.model.network, t.model.batch).work < 1e5)
    move_to_kinks(t.model);
  if (t.mode != Mode::forward && !differentiate(t, random)) t.mode = Mode::forward;
  t.low_bits = has_low_bits(t.model);
  Network& n = t.model.network;
  for (NodeId id = 0; id < n.nodes().size(); ++id)
    if (n.node(id).arity > 0 || n.node(id).op == Op::basis) n.output(id);
  t.cost = size_of(n, t.model.batch).work;
  const bool all = choice.families.empty();
  const std::vector<std::string> families = all ? family_names() : choice.families;
  const bool plain = all && pick(random, 6) == 0;
  draw_arithmetic(plain ? "fp32" : families[pick(random, families.size())], n, random, t);
  return t;
}

std::string describe(const Trial& t) {
  const Arithmetic& a = t.arithmetic.everywhere;
  constexpr std::array<const char*, 3> roundings{"rne", "rna", "rz"};
  return fmt::format(
      "{}, {} data, arithmetic {} (operands {} {}, split {}, sums {}, unit {{{}, {}}}, {} parts "
      "{}, "
      "keep {}, store {}, outer_by_matmul {}), batch {}: {}",
      mode_names[static_cast<std::size_t>(t.mode)], data_names[static_cast<std::size_t>(t.data)],
      t.family, traits(a.operand).name, roundings[static_cast<std::size_t>(a.conversion)],
      static_cast<int>(a.split), traits(a.accumulate).name, a.unit.block, a.unit.fraction,
      a.partials, traits(a.partial).name, traits(a.keep).name, traits(a.store).name,
      a.outer_by_matmul, t.model.batch, describe(t.model.network));
}

}  // namespace ulpfuzz::bench
