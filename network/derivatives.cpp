#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "differentiation.hpp"
#include "reachable.hpp"
#include "shape_rules.hpp"

namespace ulpfuzz {
namespace {

void check_reached(const Network& network, std::string_view who) {
  const std::vector<bool> seen = reachable(network);
  for (std::size_t id = 0; id < seen.size(); ++id) {
    const Node& node = network.nodes()[id];
    if (seen[id] || (node.op != Op::input && node.op != Op::parameter)) continue;
    throw std::invalid_argument(
        fmt::format("{}: the output does not depend on {} {}; prune the network first", who,
                    name(node.op), node.index));
  }
}

}  // namespace

void check_differentiable(const Network& network, std::string_view who) {
  if (network.outputs().size() != 1) {
    throw std::invalid_argument(fmt::format("{}: the network has {} outputs; one would fit", who,
                                            network.outputs().size()));
  }
  for (const Node& node : network.nodes()) {
    if (is_derivative_op(node.op) || node.axis == Axis::repeated) {
      throw std::invalid_argument(fmt::format(
          "{}: {} {} belongs to a derivative network; derivatives are first order: a network of "
          "values per batch row would fit",
          who, node.axis == Axis::repeated ? "repeated" : "op", name(node.op)));
    }
  }
  if (network.at(network.outputs().front()).axis != Axis::batch) {
    throw std::invalid_argument(
        fmt::format("{}: the output is shared; a value per batch row would fit", who));
  }
  check_reached(network, who);
}

Network primal_part(const Network& network, std::uint32_t repeat) {
  Network result;
  result.set_repeat(repeat);
  result.reserve(4 * network.nodes().size());
  for (const Node& node : network.nodes()) result.append(node);
  return result;
}

NodeId ActivationDerivatives::at(Network& network, const Node& activation) {
  const auto same = [&](const std::pair<Node, NodeId>& entry) {
    return entry.first.op == activation.op && entry.first.args[0] == activation.args[0] &&
           entry.first.alpha == activation.alpha;
  };
  const auto found = std::find_if(made_.begin(), made_.end(), same);
  if (found != made_.end()) return found->second;
  const NodeId id = network.derivative(activation.op, activation.args[0], activation.alpha);
  made_.emplace_back(activation, id);
  return id;
}

bool has_kink(const Node& node) {
  return node.op == Op::derivative &&
         (node.of == Op::relu || node.of == Op::leaky_relu || node.of == Op::elu);
}

std::vector<NodeId> kink_operands(const Network& network) {
  std::vector<NodeId> operands;
  for (const Node& node : network.nodes()) {
    if (!has_kink(node)) continue;
    if (std::find(operands.begin(), operands.end(), node.args[0]) == operands.end()) {
      operands.push_back(node.args[0]);
    }
  }
  return operands;
}

}  // namespace ulpfuzz
