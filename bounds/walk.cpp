#include "analysis_impl.hpp"

namespace ulpfuzz::bounds {

void Analysis::Impl::evaluate_matmul(NodeId id, Value& y) {
  const Node& node = network->node(id);
  Result* only = only_result[id];
  if (only && only->outer.take(node, operand_node(node, 0), operand_node(node, 1), operand(node, 0),
                               operand(node, 1), y, context))
    return;
  multiply(node, y);
}

void Analysis::Impl::evaluate_derivative(const Node& node, std::span<const ObservedKinks> observed,
                                         Value& y) {
  std::span<const float> seen;
  for (const ObservedKinks& o : observed)
    if (o.operand == node.args[0]) seen = o.values;
  derivative_rule(node, operand(node, 0), seen, y, context);
}

// What only derivative networks have.
void Analysis::Impl::evaluate_derived(const Node& node, std::span<const ObservedKinks> observed,
                                      Value& y) {
  Context& c = context;
  const auto arg = [&](std::size_t i) -> Value& { return operand(node, i); };
  const auto arg_node = [&](std::size_t i) -> const Node& { return operand_node(node, i); };
  switch (node.op) {
    case Op::derivative:
      evaluate_derivative(node, observed, y);
      break;
    case Op::softmax_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      row_gradient_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::slice:
    case Op::pad:
      columns_rule(node, arg(0), y);
      break;
    case Op::sum_rows:
    case Op::batch_sum:
    case Op::outer_sum:
      evaluate_sum(node, y);
      break;
    case Op::basis:
      basis_rule(y, c);
      break;
    case Op::unit_tangents:
      unit_tangents_rule(node, arg(0), y, c);
      break;
    default:
      break;
  }
}

void Analysis::Impl::evaluate(NodeId id, std::span<const ObservedKinks> observed) {
  const Node& node = network->node(id);
  Value& y = values[id];
  Context& c = context;
  const auto arg = [&](std::size_t i) -> Value& { return operand(node, i); };
  const auto arg_node = [&](std::size_t i) -> const Node& { return operand_node(node, i); };
  switch (node.op) {
    case Op::input:
    case Op::parameter:
      return;
    case Op::linear: {
      const Value* bias = node.arity == 3 ? &arg(2) : nullptr;
      linear_rule(node, arg(0), arg(1), bias, y, c);
      break;
    }
    case Op::matmul:
      evaluate_matmul(id, y);
      break;
    case Op::add:
      add_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::mul:
      mul_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::softmax:
      softmax_rule(arg(0), y, c);
      break;
    case Op::layer_norm:
    case Op::rms_norm:
      norm_rule(node, arg(0), y, c);
      break;
    case Op::concat:
      concat_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::reshape:
      reshape_rule(arg(0), y);
      break;
    default:
      if (is_activation(node.op)) {
        activation_rule(node, arg(0), y, c);
      } else {
        evaluate_derived(node, observed, y);
      }
  }
  for (const NodeId a : node.operands()) {
    y.ancestors |= values[a].ancestors;
    y.conspiring = y.conspiring || values[a].conspiring;
  }
  if (!y.error_free) y.ancestors |= std::uint64_t{1} << (id % 64);
}

void Analysis::Impl::evaluate_sum(const Node& node, Value& y) {
  Value& x = operand(node, 0);
  if (node.op == Op::outer_sum) {
    outer_sum_rule(x, operand(node, 1), y, context);
  } else if (node.op == Op::batch_sum) {
    sum_rule(x, 1, x.entries, y, context);
  } else {
    sum_rule(x, x.entries, x.rows, y, context);
  }
}

}  // namespace ulpfuzz::bounds
