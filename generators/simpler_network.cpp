#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cost.hpp"
#include "draft.hpp"
#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

bool leaf(const Node& node) { return node.op == Op::input || node.op == Op::parameter; }

std::string label(const Network& network, NodeId id) {
  return fmt::format("{} {}", name(network.node(id).op), id);
}

void offer(Edits& edits, const Case& c, std::string name, Draft draft) {
  draft.settle();
  auto masks = draft.no_masks();
  if (!draft.close(masks)) return;
  auto kept = std::make_shared<const Draft>(std::move(draft));
  edits.push_back({std::move(name), [&c, kept, masks] { return kept->apply(c, masks); }});
}

void truncate(const Case& c, Edits& edits) {
  const Network& net = c.network;
  for (NodeId id = 0; id < net.outputs().front(); ++id) {
    if (leaf(net.node(id)) || net.node(id).axis != Axis::batch) continue;
    Draft draft(net);
    draft.set_output(id);
    offer(edits, c, "output := " + label(net, id), std::move(draft));
  }
}

// What comes before a node is replaced by normal values, which is simpler where it takes nodes
// away.
void freeze(const Case& c, Edits& edits) {
  const Network& net = c.network;
  for (NodeId id = net.outputs().front(); id-- > 0;) {
    if (leaf(net.node(id)) || net.node(id).axis != Axis::batch) continue;
    Draft draft(net);
    draft.freeze(id);
    draft.settle();
    if (draft.left() >= net.nodes().size()) continue;
    offer(edits, c, label(net, id) + " := input", std::move(draft));
  }
}

// The operand that the rest of the network hangs on: the first that is a value per batch row.
const NodeId* main_operand(const Network& net, const Node& node) {
  for (const NodeId& arg : node.operands()) {
    if (net.node(arg).axis == Axis::batch) return &arg;
  }
  return nullptr;
}

void bypass(const Case& c, NodeId id, NodeId with, bool trailing, Edits& edits) {
  const Network& net = c.network;
  if (id == net.outputs().front() && leaf(net.node(with))) return;  // a network has an op
  std::string name = fmt::format("{} -> {}", label(net, id), label(net, with));
  if (std::ranges::count(edits, name, &Edit::name) > 0) return;  // a longer way to the same
  Draft draft(net);
  draft.replace(id, with, trailing);
  offer(edits, c, std::move(name), std::move(draft));
}

// Runs of `length` nodes along main operands.
void bypass_runs(const Case& c, std::size_t length, Edits& edits) {
  const Network& net = c.network;
  for (NodeId id = static_cast<NodeId>(net.nodes().size()); id-- > 0;) {
    NodeId with = id;
    std::size_t steps = 0;
    for (; steps < length; ++steps) {
      const NodeId* next = main_operand(net, net.node(with));
      if (next == nullptr) break;
      with = *next;
    }
    if (steps == length) bypass(c, id, with, false, edits);
  }
}

void bypass_to_second(const Case& c, Edits& edits) {
  const Network& net = c.network;
  for (NodeId id = 0; id < net.nodes().size(); ++id) {
    const Node& node = net.node(id);
    const NodeId* first = main_operand(net, node);
    for (const NodeId arg : node.operands()) {
      if (first == nullptr || arg == *first || net.node(arg).axis != Axis::batch) continue;
      bypass(c, id, arg, node.op == Op::concat, edits);
    }
  }
}

void drop_biases(const Case& c, Edits& edits) {
  const Network& net = c.network;
  Draft none(net);
  std::size_t count = 0;
  for (NodeId id = 0; id < net.nodes().size(); ++id) {
    const Node& node = net.node(id);
    if (node.op != Op::linear || node.arity != 3) continue;
    ++count;
    none.nodes()[id].arity = 2;
    Draft one(net);
    one.nodes()[id].arity = 2;
    // A bias that something else uses too stays: the network would be no smaller.
    const auto uses = [&](const Node& n) { return std::ranges::count(n.operands(), node.args[2]); };
    std::ptrdiff_t total = 0;
    for (const Node& n : net.nodes()) total += uses(n);
    if (total == 1) offer(edits, c, "drop the bias of " + label(net, id), std::move(one));
  }
  if (count > 1) offer(edits, c, "drop all biases", std::move(none));
}

void to_relu(Node& node) {
  node.op = Op::relu;
  node.alpha = 0;
}

void simpler_activations(const Case& c, Edits& edits) {
  const Network& net = c.network;
  Draft all(net);
  std::size_t count = 0;
  for (NodeId id = 0; id < net.nodes().size(); ++id) {
    const Node& node = net.node(id);
    if (!is_activation(node.op) || node.op == Op::relu) continue;
    ++count;
    to_relu(all.nodes()[id]);
    Draft one(net);
    to_relu(one.nodes()[id]);
    offer(edits, c, label(net, id) + " -> relu", std::move(one));
  }
  if (count > 1) offer(edits, c, "all activations -> relu", std::move(all));
}

void no_activations(const Case& c, Edits& edits) {
  const Network& net = c.network;
  Draft draft(net);
  std::size_t count = 0;
  for (NodeId id = 0; id < net.outputs().front(); ++id) {
    if (!is_activation(net.node(id).op)) continue;
    ++count;
    draft.replace(id, net.node(id).args[0]);
  }
  if (count > 1) offer(edits, c, "all activations inside -> identity", std::move(draft));
}

}  // namespace

void simpler_network(const Case& c, const Focus&, Edits& edits) {
  const auto derived = [](const Node& n) { return n.op >= Op::derivative; };
  if (std::ranges::any_of(c.network.nodes(), derived)) return;
  truncate(c, edits);
  freeze(c, edits);
  for (const std::size_t length : {8u, 4u, 2u}) bypass_runs(c, length, edits);
  no_activations(c, edits);
  bypass_runs(c, 1, edits);
  bypass_to_second(c, edits);
  drop_biases(c, edits);
  simpler_activations(c, edits);
}

}  // namespace ulpfuzz::generators
