#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

// The operand that the rest of the network hangs on: the first that is a value per batch row.
const NodeId* main_operand(const Network& net, const Node& node) {
  for (const NodeId& arg : node.operands()) {
    if (net.node(arg).axis == Axis::batch) return &arg;
  }
  return nullptr;
}

class Bypasses {
 public:
  Bypasses(const Case& c, Edits& edits)
      : c_(c), net_(c.network), edits_(edits), left_(affordable(net_.nodes().size())) {}

  // Runs of `length` nodes along main operands.
  void runs(std::size_t length) {
    for (NodeId id = static_cast<NodeId>(net_.nodes().size()); id-- > 0;) {
      NodeId with = id;
      std::size_t steps = 0;
      for (; steps < length; ++steps) {
        const NodeId* next = main_operand(net_, net_.node(with));
        if (next == nullptr) break;
        with = *next;
      }
      if (steps == length) bypass(id, with, false);
    }
  }

  void second_operands() {
    for (NodeId id = 0; id < net_.nodes().size(); ++id) {
      const Node& node = net_.node(id);
      const NodeId* first = main_operand(net_, node);
      for (const NodeId arg : node.operands()) {
        if (first == nullptr || arg == *first || net_.node(arg).axis != Axis::batch) continue;
        bypass(id, arg, node.op == Op::concat);
      }
    }
  }

 private:
  void bypass(NodeId id, NodeId with, bool trailing) {
    const bool same = net_.node(id).shape == net_.node(with).shape;
    if (!same && left_ == 0) return;
    if (!seen_.insert({id, with}).second) return;  // a longer way to the same
    std::string name = fmt::format("{} -> {}", label(net_, id), label(net_, with));
    const auto alter = [id, with, trailing](Draft& draft) { draft.replace(id, with, trailing); };
    if (same) return offer_later(edits_, c_, std::move(name), alter);
    --left_;
    offer_now(edits_, c_, std::move(name), alter);
  }

  const Case& c_;
  const Network& net_;
  Edits& edits_;
  std::size_t left_;
  std::set<std::pair<NodeId, NodeId>> seen_;
};

void drop_biases(const Case& c, Edits& edits) {
  const Network& net = c.network;
  std::vector<NodeId> with;
  for (NodeId id = 0; id <= net.outputs().front(); ++id) {
    if (net.node(id).op == Op::linear && net.node(id).arity == 3) with.push_back(id);
  }
  if (with.size() > 1) {
    offer_later(edits, c, "drop all biases", [](Draft& draft) {
      for (Node& node : draft.nodes()) {
        if (node.op == Op::linear) node.arity = 2;
      }
    });
  }
  for (const NodeId id : with) {
    offer_later(edits, c, "drop the bias of " + label(net, id),
                [id](Draft& draft) { draft.nodes()[id].arity = 2; });
  }
}

// Two inputs or parameters of one shape become one.
void tie(const Case& c, Op op, Edits& edits) {
  constexpr std::size_t few = 12;
  const auto& all = op == Op::input ? c.network.inputs() : c.network.parameters();
  for (std::size_t j = 1; j < std::min(all.size(), few); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (c.network.node(all[i]).shape != c.network.node(all[j]).shape) continue;
      offer_later(edits, c,
                  fmt::format("{} = {}", label(c.network, all[j]), label(c.network, all[i])),
                  [i = all[i], j = all[j]](Draft& draft) { draft.replace(j, i); });
    }
  }
}

// A weight of one number that several ops read: one of them alone reads it twice, as its bias too.
void tie_bias(const Case& c, const std::vector<std::uint32_t>& used, Edits& edits) {
  const Network& net = c.network;
  for (NodeId id = 0; id < net.nodes().size(); ++id) {
    const Node& node = net.node(id);
    if (node.op != Op::linear || node.arity != 2 || used[node.args[1]] < 2) continue;
    if (net.node(node.args[1]).shape != Shape{1, 1}) continue;
    offer_later(edits, c, label(net, id) + " alone reads its weight, as its bias too",
                [id, weight = node.args[1]](Draft& draft) {
                  for (NodeId n = 0; n < draft.nodes().size(); ++n) {
                    const Node& other = draft.nodes()[n];
                    const bool reads = other.op == Op::linear && other.args[1] == weight;
                    if (reads && n != id) draft.replace(n, other.args[0]);
                  }
                  Node& linear = draft.nodes()[id];
                  linear.arity = 3;
                  linear.args[2] = weight;
                });
  }
}

void no_activations(const Case& c, Edits& edits) {
  const Network& net = c.network;
  std::size_t count = 0;
  for (NodeId id = 0; id < net.outputs().front(); ++id) count += is_activation(net.node(id).op);
  if (count < 2) return;
  offer_later(edits, c, "all activations inside -> identity", [](Draft& draft) {
    for (NodeId id = 0; id < draft.nodes().size(); ++id) {
      const Node& node = draft.nodes()[id];
      if (is_activation(node.op) && id != draft.output()) draft.replace(id, node.args[0]);
    }
  });
}

}  // namespace

void deleted_ops(const Case& c, const Focus&, Edits& edits) {
  Bypasses bypasses(c, edits);
  for (const std::size_t length : {8u, 4u, 2u}) bypasses.runs(length);
  no_activations(c, edits);
  bypasses.runs(1);
  bypasses.second_operands();
  drop_biases(c, edits);
  tie(c, Op::input, edits);
  tie(c, Op::parameter, edits);
  tie_bias(c, uses(c.network), edits);
}

}  // namespace ulpfuzz::generators
