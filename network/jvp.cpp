#include <fmt/format.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "differentiation.hpp"
#include "reachable.hpp"

namespace ulpfuzz {
namespace {

using Tangent = std::optional<NodeId>;

// Walks the primal nodes forwards. A parameter has no tangent of its own: each op that reads it
// makes the tangents of its result from one-hot ones.
class Forward {
 public:
  Forward(const Network& primal, NodeId wrt, std::uint32_t repeat)
      : primal_(primal),
        wrt_(wrt),
        result_(primal_part(primal, repeat)),
        tangents_(primal.nodes().size()) {}

  Network run() {
    for (NodeId id = 0; id < primal_.nodes().size(); ++id) {
      tangents_[id] = step(primal_.node(id), id);
    }
    result_.output(*tangents_[primal_.outputs().front()]);
    return without_dead_nodes(result_);
  }

 private:
  bool is_parameter(NodeId id) const { return id == wrt_ && primal_.node(id).op == Op::parameter; }

  // Tangent of an operand, one-hot where it is the parameter in question, spread to `shape`.
  Tangent of(NodeId id, Shape shape) {
    return is_parameter(id) ? Tangent(result_.basis(shape)) : tangents_[id];
  }

  Tangent sum(Tangent a, Tangent b) {
    if (!a || !b) return a ? a : b;
    return result_.add(*a, *b);
  }

  Tangent linear(const Node& node) {
    const auto [x, weight, bias] = node.args;
    Tangent t;
    if (tangents_[x]) t = result_.linear(*tangents_[x], weight);
    if (is_parameter(weight)) t = sum(t, result_.unit_tangents(x, node.shape.cols));
    if (node.arity == 3 && is_parameter(bias)) t = sum(t, result_.basis(node.shape));
    return t;
  }

  Tangent matmul(const Node& node) {
    const NodeId a = node.args[0];
    const NodeId b = node.args[1];
    const bool ta = node.transpose_a;
    const bool tb = node.transpose_b;
    Tangent left = of(a, primal_.node(a).shape);
    if (left) left = result_.matmul(*left, b, ta, tb);
    Tangent right = of(b, primal_.node(b).shape);
    if (right) right = result_.matmul(a, *right, ta, tb);
    return sum(left, right);
  }

  Tangent mul(const Node& node) {
    Tangent left = of(node.args[0], node.shape);
    if (left) left = result_.mul(*left, node.args[1]);
    Tangent right = of(node.args[1], node.shape);
    if (right) right = result_.mul(node.args[0], *right);
    return sum(left, right);
  }

  Tangent concat(const Node& node) {
    const Tangent a = tangents_[node.args[0]];
    const Tangent b = tangents_[node.args[1]];
    if (a && b) return result_.concat(*a, *b);
    if (a) return result_.pad(*a, 0, node.shape.cols);
    const std::uint32_t left = primal_.node(node.args[0]).shape.cols;
    return b ? Tangent(result_.pad(*b, left, node.shape.cols)) : b;
  }

  Tangent unary(const Node& node, NodeId id) {
    const NodeId x = node.args[0];
    if (!tangents_[x]) return std::nullopt;
    const NodeId t = *tangents_[x];
    switch (node.op) {
      case Op::softmax:
        return result_.softmax_grad(t, id);
      case Op::layer_norm:
        return result_.layer_norm_grad(t, x, node.alpha);
      case Op::rms_norm:
        return result_.rms_norm_grad(t, x, node.alpha);
      case Op::reshape:
        return result_.reshape(t, node.shape);
      default:
        return result_.mul(t, derivatives_.at(result_, node));
    }
  }

  Tangent step(const Node& node, NodeId id) {
    switch (node.op) {
      case Op::input:
        return id == wrt_ ? Tangent(result_.basis(node.shape)) : std::nullopt;
      case Op::parameter:
        return std::nullopt;
      case Op::linear:
        return linear(node);
      case Op::matmul:
        return matmul(node);
      case Op::add:
        return sum(of(node.args[0], node.shape), of(node.args[1], node.shape));
      case Op::mul:
        return mul(node);
      case Op::concat:
        return concat(node);
      default:
        return unary(node, id);
    }
  }

  const Network& primal_;
  NodeId wrt_;
  Network result_;
  std::vector<Tangent> tangents_;
  ActivationDerivatives derivatives_;
};

}  // namespace

Network jvp(const Network& network, std::size_t wrt) {
  check_differentiable(network, "jvp");
  const std::size_t inputs = network.inputs().size();
  const std::size_t count = inputs + network.parameters().size();
  if (wrt >= count) {
    throw std::invalid_argument(
        fmt::format("jvp: wrt is {}; below {} (inputs, then parameters) would fit", wrt, count));
  }
  const NodeId id = wrt < inputs ? network.inputs()[wrt] : network.parameters()[wrt - inputs];
  const std::size_t repeat = network.node(id).shape.size();
  if (repeat > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument(
        fmt::format("jvp: {} elements have too many tangents; less than 2^32 would fit", repeat));
  }
  return Forward(network, id, static_cast<std::uint32_t>(repeat)).run();
}

}  // namespace ulpfuzz
