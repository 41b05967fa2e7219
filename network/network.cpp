#include "ulpfuzz/network/network.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "shape_rules.hpp"

namespace ulpfuzz {
namespace {

Node make(Op op, std::initializer_list<NodeId> operands) {
  Node node;
  node.op = op;
  for (const NodeId id : operands) node.args[node.arity++] = id;
  return node;
}

float default_alpha(Op op) {
  if (op == Op::leaky_relu) return 0.01f;
  return op == Op::elu ? 1.0f : 0.0f;
}

using Args = std::array<const Node*, 3>;

Args operands_of(const Node& node, const std::vector<Node>& nodes) {
  Args args{};
  for (std::size_t i = 0; i < node.arity; ++i) args[i] = &nodes[node.args[i]];
  return args;
}

}  // namespace

NodeId Network::append(Node node) {
  const auto [least, most] = arity(node.op);
  if (static_cast<int>(node.op) >= op_count || node.arity < least || node.arity > most) {
    throw std::invalid_argument(
        fmt::format("{}: {} operands; {} to {} would fit", name(node.op), node.arity, least, most));
  }
  for (const NodeId id : node.operands()) {
    if (id >= nodes_.size()) {
      throw std::invalid_argument(
          fmt::format("{}: operand {} does not exist; a node below {} would fit", name(node.op), id,
                      nodes_.size()));
    }
  }
  node = normalized(node);
  infer(node, operands_of(node, nodes_), repeat_);
  const auto id = static_cast<NodeId>(nodes_.size());
  if (node.op == Op::input || node.op == Op::parameter) {
    auto& list = node.op == Op::input ? inputs_ : parameters_;
    node.index = static_cast<std::uint32_t>(list.size());
    list.push_back(id);
  }
  nodes_.push_back(node);
  return id;
}

NodeId Network::input(Shape shape, Axis axis) {
  Node node = make(Op::input, {});
  node.shape = shape;
  node.axis = axis;
  return append(node);
}

NodeId Network::parameter(std::uint32_t rows, std::uint32_t cols) {
  Node node = make(Op::parameter, {});
  node.shape = {rows, cols};
  return append(node);
}

NodeId Network::linear(NodeId x, NodeId weight) { return append(make(Op::linear, {x, weight})); }

NodeId Network::linear(NodeId x, NodeId weight, NodeId bias) {
  return append(make(Op::linear, {x, weight, bias}));
}

NodeId Network::matmul(NodeId a, NodeId b, bool transpose_a, bool transpose_b) {
  Node node = make(Op::matmul, {a, b});
  node.transpose_a = transpose_a;
  node.transpose_b = transpose_b;
  return append(node);
}

NodeId Network::add(NodeId a, NodeId b) { return append(make(Op::add, {a, b})); }

NodeId Network::mul(NodeId a, NodeId b) { return append(make(Op::mul, {a, b})); }

NodeId Network::activation(Op op, NodeId x) { return activation(op, x, default_alpha(op)); }

NodeId Network::activation(Op op, NodeId x, float alpha) {
  if (!is_activation(op)) {
    throw std::invalid_argument(
        fmt::format("activation: {} is none; relu .. elu would fit", name(op)));
  }
  Node node = make(op, {x});
  node.alpha = alpha;
  return append(node);
}

NodeId Network::softmax(NodeId x) { return append(make(Op::softmax, {x})); }

NodeId Network::layer_norm(NodeId x, float epsilon) {
  Node node = make(Op::layer_norm, {x});
  node.alpha = epsilon;
  return append(node);
}

NodeId Network::rms_norm(NodeId x, float epsilon) {
  Node node = make(Op::rms_norm, {x});
  node.alpha = epsilon;
  return append(node);
}

NodeId Network::concat(NodeId a, NodeId b) { return append(make(Op::concat, {a, b})); }

NodeId Network::reshape(NodeId x, Shape shape) {
  Node node = make(Op::reshape, {x});
  node.shape = shape;
  return append(node);
}

NodeId Network::derivative(Op of, NodeId x, float alpha) {
  Node node = make(Op::derivative, {x});
  node.of = of;
  node.alpha = alpha;
  return append(node);
}

NodeId Network::softmax_grad(NodeId v, NodeId s) { return append(make(Op::softmax_grad, {v, s})); }

NodeId Network::layer_norm_grad(NodeId v, NodeId x, float epsilon) {
  Node node = make(Op::layer_norm_grad, {v, x});
  node.alpha = epsilon;
  return append(node);
}

NodeId Network::rms_norm_grad(NodeId v, NodeId x, float epsilon) {
  Node node = make(Op::rms_norm_grad, {v, x});
  node.alpha = epsilon;
  return append(node);
}

NodeId Network::slice(NodeId x, std::uint32_t start, std::uint32_t cols) {
  Node node = make(Op::slice, {x});
  node.index = start;
  node.shape.cols = cols;
  return append(node);
}

NodeId Network::pad(NodeId x, std::uint32_t start, std::uint32_t cols) {
  Node node = make(Op::pad, {x});
  node.index = start;
  node.shape.cols = cols;
  return append(node);
}

NodeId Network::sum_rows(NodeId x) { return append(make(Op::sum_rows, {x})); }

NodeId Network::batch_sum(NodeId x) { return append(make(Op::batch_sum, {x})); }

NodeId Network::outer_sum(NodeId a, NodeId b) { return append(make(Op::outer_sum, {a, b})); }

NodeId Network::basis(Shape shape) {
  Node node = make(Op::basis, {});
  node.shape = shape;
  return append(node);
}

NodeId Network::unit_tangents(NodeId h, std::uint32_t n) {
  Node node = make(Op::unit_tangents, {h});
  node.shape.cols = n;
  return append(node);
}

void Network::output(NodeId node) {
  at(node);
  outputs_.push_back(node);
}

const Node& Network::at(NodeId id) const {
  if (id >= nodes_.size()) {
    throw std::invalid_argument(
        fmt::format("node {} does not exist; a node below {} would fit", id, nodes_.size()));
  }
  return nodes_[id];
}

void Network::set_repeat(std::uint32_t repeat) {
  for (const Node& node : nodes_) check_repeat(node, operands_of(node, nodes_), repeat);
  repeat_ = repeat;
}

void Network::reserve(std::size_t nodes) { nodes_.reserve(nodes); }

std::size_t Network::entries(const Node& node, std::size_t batch) const {
  if (node.axis == Axis::shared) return 1;
  return node.axis == Axis::batch ? batch : batch * repeat_;
}

}  // namespace ulpfuzz
