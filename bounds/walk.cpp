#include "analysis_impl.hpp"
#include "conditional.hpp"
#include "mixed.hpp"

namespace ulpfuzz::bounds {
namespace {

constexpr std::size_t most_sharpened = 4096;  // elements of an entry

}  // namespace

void Analysis::Impl::evaluate_matmul(NodeId id, Value& y) {
  const Node& node = network->node(id);
  Result* only = only_result[id];
  const bool plain = !arithmetic->converts && !arithmetic->keep.active &&
                     !arithmetic->store.active && !arithmetic->other(*network, node, batch);
  if (only && plain &&
      only->outer.take(node, operand_node(node, 0), operand_node(node, 1), operand(node, 0),
                       operand(node, 1), y, context))
    return;
  multiply(node, y);
}

void Analysis::Impl::multiply_once(const Node& node, Value& y) {
  Value& a = factor(node, 0);
  Value& b = factor(node, 1);
  if (node.op == Op::outer_sum) return outer_sum_rule(a, b, y, context);
  if (node.op == Op::matmul)
    return matmul_rule(node, operand_node(node, 0), operand_node(node, 1), a, b, y, context);
  linear_rule(node, a, b, node.arity == 3 ? &operand(node, 2) : nullptr, y, context);
}

void Analysis::Impl::multiply(const Node& node, Value& y) {
  multiply_once(node, y);
  const NodeArithmetic* plain = arithmetic->other(*network, node, batch);
  if (plain == nullptr) return;
  other.reset(y.entries, node.shape);
  context.model = plain->model;
  multiply_once(node, other);
  context.model = arithmetic->model;
  node.op == Op::outer_sum ? take_both(other, y) : take_larger(other, y);
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

// Operands of a product may be the same node: each has its own place.
Value& Analysis::Impl::factor(const Node& node, std::size_t i) {
  Value& v = operand(node, i);
  if (!arithmetic->converts_operands_of(*network, node, batch)) return v;
  const bool inner_rows =
      node.op == Op::outer_sum ||
      (node.op == Op::matmul && (i == 0 ? node.transpose_a : !node.transpose_b));
  convert_operand(v, Conversion::of(arithmetic->stated, i == 0, inner_rows), converted[i]);
  return converted[i];
}

bool Analysis::Impl::deferred(NodeId id) const {
  return only_result[id] && only_result[id]->outer.taken();
}

// A product with what has no error, as masks mostly have none, gains nothing by it.
bool Analysis::Impl::worth_sharpening(NodeId id) const {
  const Node& node = network->node(id);
  const Value& y = values[id];
  if (node.axis == Axis::shared || y.error_free || deferred(id) || (!cuts.empty() && cuts[id]))
    return false;
  // Each element costs a sweep and the memory for one; outer products, of which there are many,
  // are gradients that nothing reads.
  if (y.size() > most_sharpened) return false;
  if (node.op == Op::matmul) {
    const Value& a = values[node.args[0]];
    if ((node.transpose_a ? a.rows : a.cols) == 1) return false;
  }
  const auto exact = [&](std::size_t i) { return values[node.args[i]].error_free; };
  if (node.op == Op::linear) return !exact(0);
  const bool sum = node.op == Op::matmul || node.op == Op::add;
  return sum || (node.op == Op::mul && !exact(0) && !exact(1));
}

// The exact Jacobian can only shrink a radius. It can do both to a deviation, which is no bound
// unless it counts what errors of one source do together: there the larger counts.
void Analysis::Impl::sharpen(NodeId id) {
  if (!deferred(id)) {
    add_conspiring_variance(*network, values, network->node(id), values[id]);
    split_variance(*network, values, id, variances);
  }
  if (!worth_sharpening(id)) return;
  Value& y = values[id];
  for (std::size_t e = 0; e < y.entries; ++e) {
    if (adjoint.run(*network, values, id, e, cuts))
      for (std::size_t j = 0, i = e * y.size(); j < y.size(); ++j, ++i)
        y.error[i] = std::min(y.error[i], std::max(adjoint.bounds()[j], y.local[i]));
    if (adjoint.run_typical(*network, values, id, e, variances, cuts, true))
      for (std::size_t j = 0, i = e * y.size(); j < y.size(); ++j, ++i)
        y.variance[i] = std::max(y.variance[i], adjoint.bounds()[j]);
  }
  std::copy_n(y.variance.begin(), y.count(), variances.total[id].begin());
}

void Analysis::Impl::evaluate(NodeId id, std::span<const ObservedKinks> observed) {
  const Node& node = network->node(id);
  if (node.op == Op::input || node.op == Op::parameter) return;
  use_arithmetic_of(id);
  apply(id, observed);
  Value& y = values[id];
  if (arithmetics.keeps() && arithmetics.keeps(*network, id)) keep_rule(y, arithmetic->keep);
  if (options.matrix_adjoint) sharpen(id);
  for (const NodeId a : node.operands()) {
    y.ancestors |= values[a].ancestors;
    y.conspiring = y.conspiring || values[a].conspiring;
    y.alike = y.alike || values[a].alike;
  }
  const Model& m = arithmetic->model;
  const bool product = node.op == Op::linear || node.op == Op::matmul || node.op == Op::outer_sum;
  if (product && (m.conversion > 0 || m.passes > 1 || m.unit.block > 0)) y.alike = true;
  if (!y.error_free) y.ancestors |= std::uint64_t{1} << (id % 64);
}

void Analysis::Impl::apply(NodeId id, std::span<const ObservedKinks> observed) {
  const Node& node = network->node(id);
  Value& y = values[id];
  Context& c = context;
  const auto arg = [&](std::size_t i) -> Value& { return operand(node, i); };
  const auto arg_node = [&](std::size_t i) -> const Node& { return operand_node(node, i); };
  switch (node.op) {
    case Op::linear:
      multiply(node, y);
      break;
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
}

void Analysis::Impl::evaluate_sum(const Node& node, Value& y) {
  if (node.op == Op::outer_sum) return multiply(node, y);
  Value& x = operand(node, 0);
  if (node.op == Op::batch_sum) {
    sum_rule(x, 1, x.entries, y, context);
  } else {
    sum_rule(x, x.entries, x.rows, y, context);
  }
}

}  // namespace ulpfuzz::bounds
