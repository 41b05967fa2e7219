#include "altered.hpp"

#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::properties {
namespace {

Node with_arguments(Node node, const std::vector<NodeId>& places) {
  for (std::size_t i = 0; i < node.arity; ++i) node.args[i] = places[node.args[i]];
  return node;
}

/// Copies a leaf or any other node to the end of `to`.
NodeId copy(Network& to, const Node& node, const std::vector<NodeId>& places) {
  if (node.op == Op::input) return to.input(node.shape, node.axis);
  if (node.op == Op::parameter) return to.parameter(node.shape.rows, node.shape.cols);
  return to.append(with_arguments(node, places));
}

}  // namespace

std::optional<Altered> with_linear_operand(const Network& network,
                                           std::span<const Tensor> parameters, std::size_t which,
                                           const Change& change, std::optional<NodeId> only) {
  Altered altered;
  altered.network.set_repeat(network.repeat());
  std::vector<NodeId> places;
  bool changed = false;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node& node = network.node(id);
    Node moved = node;
    if (node.op == Op::parameter) altered.parameters.push_back(parameters[node.index]);
    const bool meant = node.op == Op::linear && node.arity > which && (!only || *only == id);
    if (meant && network.node(node.args[which]).op == Op::parameter) {
      Tensor operand = parameters[network.node(node.args[which]).index];
      if (change(operand)) {
        changed = true;
        const NodeId own = altered.network.parameter(operand.rows, operand.cols);
        altered.parameters.push_back(std::move(operand));
        moved = with_arguments(node, places);
        moved.args[which] = own;
        places.push_back(altered.network.append(moved));
        continue;
      }
    }
    places.push_back(copy(altered.network, node, places));
  }
  if (!changed) return std::nullopt;
  for (const NodeId id : network.outputs()) altered.network.output(places[id]);
  return altered;
}

Network reading_other_rows(const Network& network) {
  Network result;
  result.set_repeat(network.repeat());
  std::vector<NodeId> other;
  for (const Node& node : network.nodes()) other.push_back(copy(result, node, other));
  std::vector<NodeId> own;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node& node = network.node(id);
    const bool leaks = node.op == Op::linear && node.axis == Axis::batch;
    const bool common = node.op == Op::parameter || leaks;
    own.push_back(common ? other[id] : copy(result, node, own));
  }
  for (const NodeId id : network.outputs()) result.output(own[id]);
  return result;
}

Network with_open_masks(const Network& network, std::optional<NodeId> only) {
  Network open;
  open.set_repeat(network.repeat());
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    Node node = network.node(id);
    if (has_kink(node) && (!only || *only == id)) {
      node.of = Op::leaky_relu;
      node.alpha = 1;
    }
    open.append(node);
  }
  for (const NodeId id : network.outputs()) open.output(id);
  return open;
}

}  // namespace ulpfuzz::properties
