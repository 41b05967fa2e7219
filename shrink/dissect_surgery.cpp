#include "dissect_surgery.hpp"

#include <stdexcept>
#include <vector>

#include "ulpfuzz/generators/dimensions.hpp"

namespace ulpfuzz::shrinking {
namespace {

std::optional<Case> checked(Case c) {
  try {
    c = prune(c);
    validate(c);
    if (c.output_node().op == Op::input) return std::nullopt;  // nothing left to evaluate
    return c;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<Case> cut_after(const Case& c, NodeId id) {
  const Node& node = c.network.node(id);
  if (node.axis != Axis::batch) return std::nullopt;
  Case result = c;
  result.network = {};
  for (NodeId n = 0; n <= id; ++n) result.network.append(c.network.node(n));
  result.network.output(id);
  // Inputs and parameters are numbered in the order of their nodes.
  result.inputs.resize(result.network.inputs().size());
  result.parameters.resize(result.network.parameters().size());
  if (c.cotangents.cols != 0 && c.network.outputs().front() != id) {
    result.cotangents = Tensor(static_cast<std::uint32_t>(c.batch()),
                               static_cast<std::uint32_t>(node.shape.size()));
    generators::draw_normal(result.cotangents.data, 1, id);
  }
  return checked(std::move(result));
}

std::optional<Case> with_node(const Case& c, NodeId id, Node node) {
  Case result = c;
  result.network = {};
  try {
    for (NodeId n = 0; n < c.network.nodes().size(); ++n)
      result.network.append(n == id ? node : c.network.node(n));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  result.network.output(c.network.outputs().front());
  return checked(std::move(result));
}

std::optional<Case> without_node(const Case& c, NodeId id) {
  const Node& gone = c.network.node(id);
  const NodeId with = gone.args[0];
  const Node& stays = c.network.node(with);
  if (gone.arity == 0 || stays.shape != gone.shape || stays.axis != gone.axis) return std::nullopt;
  Case result = c;
  result.network = {};
  for (Node node : c.network.nodes()) {
    for (std::size_t i = 0; i < node.arity; ++i)
      if (node.args[i] == id) node.args[i] = with;
    result.network.append(node);
  }
  const NodeId out = c.network.outputs().front();
  result.network.output(out == id ? with : out);
  return checked(std::move(result));
}

}  // namespace ulpfuzz::shrinking
