#include <fmt/format.h>

#include <optional>
#include <stdexcept>

#include "differentiation.hpp"
#include "reachable.hpp"

namespace ulpfuzz {
namespace {

// Walks the primal nodes backwards, adding the gradient of each to the gradients of its operands,
// in the order in which they are met: last use first, left operand first.
class Reverse {
 public:
  Reverse(const Network& primal, std::uint32_t repeat, Reduction reduction)
      : primal_(primal),
        result_(primal_part(primal, repeat)),
        gradients_(primal.nodes().size()),
        reduction_(reduction) {}

  Network run() {
    const NodeId top = primal_.outputs().front();
    gradients_[top] = result_.input(primal_.node(top).shape, Axis::repeated);
    for (NodeId id = top + 1; id-- > 0;) {
      if (gradients_[id]) step(primal_.node(id), id, *gradients_[id]);
    }
    for (const NodeId id : primal_.inputs()) result_.output(*gradients_[id]);
    for (const NodeId id : primal_.parameters()) result_.output(*gradients_[id]);
    return without_dead_nodes(result_);
  }

 private:
  void give(NodeId to, NodeId gradient) {
    std::optional<NodeId>& sum = gradients_[to];
    sum = sum ? result_.add(*sum, gradient) : gradient;
  }

  bool shared(NodeId id) const { return primal_.node(id).axis == Axis::shared; }

  // To a value of any axis: sums over what the op read it for, feature rows first.
  void give_reduced(NodeId to, NodeId gradient) {
    if (primal_.node(to).shape != result_.node(gradient).shape)
      gradient = result_.sum_rows(gradient);
    if (shared(to) && reduction_ == Reduction::batch_sum) gradient = result_.batch_sum(gradient);
    give(to, gradient);
  }

  void linear(const Node& node, NodeId v) {
    const auto [x, weight, bias] = node.args;
    give(x, result_.matmul(v, weight));
    give(weight, reduction_ == Reduction::batch_sum ? result_.outer_sum(v, x)
                                                    : result_.matmul(v, x, true, false));
    if (node.arity == 3) give_reduced(bias, v);
  }

  void matmul(const Node& node, NodeId v) {
    const NodeId a = node.args[0];
    const NodeId b = node.args[1];
    const bool ta = node.transpose_a;
    const bool tb = node.transpose_b;
    give_reduced(a, ta ? result_.matmul(b, v, tb, true) : result_.matmul(v, b, false, !tb));
    give_reduced(b, tb ? result_.matmul(v, a, true, ta) : result_.matmul(a, v, !ta, false));
  }

  void mul(const Node& node, NodeId v) {
    give_reduced(node.args[0], result_.mul(v, node.args[1]));
    give_reduced(node.args[1], result_.mul(v, node.args[0]));
  }

  void concat(const Node& node, NodeId v) {
    const std::uint32_t left = primal_.node(node.args[0]).shape.cols;
    give(node.args[0], result_.slice(v, 0, left));
    give(node.args[1], result_.slice(v, left, node.shape.cols - left));
  }

  void step(const Node& node, NodeId id, NodeId v) {
    const NodeId x = node.args[0];
    switch (node.op) {
      case Op::input:
      case Op::parameter:
        break;
      case Op::linear:
        linear(node, v);
        break;
      case Op::matmul:
        matmul(node, v);
        break;
      case Op::add:
        give_reduced(x, v);
        give_reduced(node.args[1], v);
        break;
      case Op::mul:
        mul(node, v);
        break;
      case Op::softmax:
        give(x, result_.softmax_grad(v, id));
        break;
      case Op::layer_norm:
        give(x, result_.layer_norm_grad(v, x, node.alpha));
        break;
      case Op::rms_norm:
        give(x, result_.rms_norm_grad(v, x, node.alpha));
        break;
      case Op::concat:
        concat(node, v);
        break;
      case Op::reshape:
        give(x, result_.reshape(v, primal_.node(x).shape));
        break;
      default:
        give(x, result_.mul(v, derivatives_.at(result_, node)));
    }
  }

  const Network& primal_;
  Network result_;
  std::vector<std::optional<NodeId>> gradients_;
  Reduction reduction_;
  ActivationDerivatives derivatives_;
};

}  // namespace

Network vjp(const Network& network, std::uint32_t repeat, Reduction reduction) {
  check_differentiable(network, "vjp");
  if (reduction == Reduction::batch_sum && repeat != 1) {
    throw std::invalid_argument(
        fmt::format("vjp: batch_sum with repeat {}; repeat 1 would fit", repeat));
  }
  return Reverse(network, repeat, reduction).run();
}

}  // namespace ulpfuzz
