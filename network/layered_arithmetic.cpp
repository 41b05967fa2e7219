#include "ulpfuzz/network/layered_arithmetic.hpp"

#include <algorithm>

namespace ulpfuzz {
namespace {

using Layers = std::vector<std::optional<std::size_t>>;

bool is_product(const Node& node) {
  return node.op == Op::linear || node.op == Op::matmul || node.op == Op::outer_sum;
}

/// Of each parameter of the forward network: the first layer that reads it as a weight.
Layers layers_of_weights(const Network& forward) {
  Layers layers(forward.parameters().size());
  std::size_t layer = 0;
  for (const Node& node : forward.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      const Node& operand = forward.node(node.args[i]);
      if (operand.op == Op::parameter && !layers[operand.index]) layers[operand.index] = layer;
    }
    ++layer;
  }
  return layers;
}

/// Marks the products that a gradient with respect to a weight is the sum of.
void mark_gradient(const Network& network, NodeId id, std::optional<std::size_t> layer,
                   Layers& marks) {
  const Node& node = network.node(id);
  if (is_product(node)) {
    if (!marks[id]) marks[id] = layer;
    return;
  }
  if (node.op == Op::input || node.op == Op::parameter) return;
  for (const NodeId operand : node.operands()) mark_gradient(network, operand, layer, marks);
}

// Is `node` of the derivative network the node `of` the forward one? `renamed`: where operands
// went.
bool is_same(const Node& node, const Node& of, const std::vector<std::optional<NodeId>>& renamed) {
  Node there = of;
  for (std::size_t i = 0; i < of.arity; ++i) {
    if (!renamed[of.args[i]]) return false;
    there.args[i] = *renamed[of.args[i]];
  }
  return node == there;
}

// A derivative network begins with the nodes of the forward one, in order, but for those that
// nothing needs. Marks their layers and returns how many they are.
NodeId mark_primal(const Network& network, const Network& forward, Layers& marks) {
  std::vector<std::optional<NodeId>> renamed(forward.nodes().size());
  NodeId id = 0;
  std::size_t layer = 0;
  for (NodeId of = 0; of < renamed.size(); ++of) {
    const Node& node = forward.node(of);
    const bool counts = node.op == Op::linear || node.op == Op::matmul;
    if (id < marks.size() && is_same(network.node(id), node, renamed)) {
      renamed[of] = id;
      if (counts) marks[id] = layer;
      ++id;
    }
    layer += counts;
  }
  return id;
}

bool is_sum(const Node& node) {
  return node.op == Op::add || node.op == Op::sum_rows || node.op == Op::batch_sum ||
         node.op == Op::reshape;
}

}  // namespace

const Arithmetic& LayeredArithmetic::at(NodeId id) const {
  const auto own =
      std::find_if(except.begin(), except.end(), [&](const auto& e) { return e.first == id; });
  return own == except.end() ? everywhere : own->second;
}

std::size_t layer_count(const Network& forward) {
  return static_cast<std::size_t>(std::count_if(
      forward.nodes().begin(), forward.nodes().end(),
      [](const Node& node) { return node.op == Op::linear || node.op == Op::matmul; }));
}

std::vector<std::optional<std::size_t>> layers_of(const Network& network, const Network& forward) {
  Layers marks(network.nodes().size());
  const Layers weights = layers_of_weights(forward);
  const NodeId primal = mark_primal(network, forward, marks);
  for (NodeId id = primal; id < marks.size(); ++id) {
    const Node& node = network.node(id);
    for (std::size_t i = 0; i < 2 && is_product(node); ++i) {
      const Node& operand = network.node(node.args[i]);
      if (operand.op == Op::parameter && operand.index < weights.size() && !marks[id])
        marks[id] = weights[operand.index];
    }
  }
  // A vjp's outputs are gradients with respect to the inputs, then to each parameter.
  const std::size_t inputs = forward.inputs().size();
  if (primal == marks.size() || network.outputs().size() != inputs + weights.size()) return marks;
  for (std::size_t p = 0; p < weights.size(); ++p) {
    const NodeId id = network.outputs()[inputs + p];
    if (is_sum(network.node(id)) || is_product(network.node(id)))
      mark_gradient(network, id, weights[p], marks);
  }
  return marks;
}

}  // namespace ulpfuzz
