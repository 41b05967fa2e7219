#include "shape_rules.hpp"

#include <cmath>
#include <limits>

#include "refusals.hpp"

namespace ulpfuzz {
namespace {

using Args = std::array<const Node*, 3>;

Axis join(const Node& a, const Node& b) { return std::max(a.axis, b.axis); }

std::uint32_t sum(const Node& node, std::uint32_t a, std::uint32_t b) {
  if (a > std::numeric_limits<std::uint32_t>::max() - b) {
    refuse(node, "{} + {} columns are too many; less than 2^32 would fit", a, b);
  }
  return a + b;
}

void infer_linear(Node& node, const Args& args) {
  const Node& x = *args[0];
  const Node& w = *args[1];
  need_rows(node, x);
  need_shared(node, w, "weight");
  if (w.shape.cols != x.shape.cols) {
    refuse(node, "x is {}, the weight {}; a weight [n,{}] would fit", to_string(x.shape),
           to_string(w.shape), x.shape.cols);
  }
  if (args[2] != nullptr) {
    need_shared(node, *args[2], "bias");
    const Shape fits{1, w.shape.rows};
    if (args[2]->shape != fits) {
      refuse(node, "the weight is {}, the bias {}; a bias {} would fit", to_string(w.shape),
             to_string(args[2]->shape), to_string(fits));
    }
  }
  node.shape = {x.shape.rows, w.shape.rows};
  node.axis = x.axis;
}

void infer_matmul(Node& node, const Args& args) {
  const Node& a = *args[0];
  const Node& b = *args[1];
  if (shared(a) && shared(b)) refuse(node, "both operands are shared; one per batch row would fit");
  const auto flip = [](Shape s, bool t) { return t ? Shape{s.cols, s.rows} : s; };
  const Shape sa = flip(a.shape, node.transpose_a);
  const Shape sb = flip(b.shape, node.transpose_b);
  if (sa.cols != sb.rows) {
    refuse(node, "the operands are {} and {} once transposed; a right operand [{},n] would fit",
           to_string(sa), to_string(sb), sa.cols);
  }
  node.shape = {sa.rows, sb.cols};
  node.axis = join(a, b);
}

// Sums over the batch are the only shared values besides parameters; the gradients of a parameter
// that is used twice are added.
void infer_shared_sum(Node& node, const Node& a, const Node& b) {
  const bool sums = a.op != Op::parameter && b.op != Op::parameter;
  if (node.op != Op::add || !sums) {
    refuse(node, "both operands are shared; one per batch row would fit");
  }
  if (a.shape != b.shape) {
    refuse(node, "the operands are {} and {}; equal shapes would fit", to_string(a.shape),
           to_string(b.shape));
  }
  node.shape = a.shape;
  node.axis = Axis::shared;
}

void infer_elementwise(Node& node, const Args& args) {
  const Node& a = *args[0];
  const Node& b = *args[1];
  if (shared(a) && shared(b)) return infer_shared_sum(node, a, b);
  node.axis = join(a, b);
  if (shared(a) || shared(b)) {
    const Node& p = shared(a) ? a : b;
    const Node& x = shared(a) ? b : a;
    const Shape row{1, x.shape.cols};
    if (p.shape != x.shape && p.shape != row) {
      refuse(node, "the operands are {} and shared {}; a shared {} or {} would fit",
             to_string(x.shape), to_string(p.shape), to_string(row), to_string(x.shape));
    }
    node.shape = x.shape;
    return;
  }
  if (a.shape != b.shape) {
    refuse(node, "the operands are {} and {}; equal shapes would fit", to_string(a.shape),
           to_string(b.shape));
  }
  node.shape = a.shape;
}

void infer_function(Node& node, const Args& args) {
  need_rows(node, *args[0]);
  if (node.op == Op::derivative && !is_activation(node.of)) {
    refuse(node, "of {}; an activation (relu .. elu) would fit", name(node.of));
  }
  const bool norm = node.op == Op::layer_norm || node.op == Op::rms_norm;
  if (!std::isfinite(node.alpha) || (norm && std::signbit(node.alpha))) {
    refuse(node, "alpha is {}; a finite number{} would fit", node.alpha,
           norm ? " of at least +0" : "");
  }
  node.shape = args[0]->shape;
  node.axis = args[0]->axis;
}

void infer_row_gradient(Node& node, const Args& args) {
  need_rows(node, *args[0]);
  need_rows(node, *args[1]);
  if (args[0]->shape != args[1]->shape) {
    refuse(node, "v is {}, the other operand {}; equal shapes would fit", to_string(args[0]->shape),
           to_string(args[1]->shape));
  }
  if (!std::isfinite(node.alpha) || std::signbit(node.alpha)) {
    refuse(node, "epsilon is {}; a finite number of at least +0 would fit", node.alpha);
  }
  node.shape = args[0]->shape;
  node.axis = join(*args[0], *args[1]);
}

void infer_concat(Node& node, const Args& args) {
  const Node& a = *args[0];
  const Node& b = *args[1];
  need_rows(node, a);
  need_rows(node, b);
  if (a.shape.rows != b.shape.rows) {
    refuse(node, "the operands are {} and {}; equal feature rows would fit", to_string(a.shape),
           to_string(b.shape));
  }
  node.shape = {a.shape.rows, sum(node, a.shape.cols, b.shape.cols)};
  node.axis = join(a, b);
}

void infer_columns(Node& node, const Args& args) {
  const Node& x = *args[0];
  need_rows(node, x);
  if (node.op == Op::reshape) {
    if (node.shape.size() != x.shape.size()) {
      refuse(node, "{} to {}; a shape of {} elements would fit", to_string(x.shape),
             to_string(node.shape), x.shape.size());
    }
  } else {
    const bool cut = node.op == Op::slice;
    const std::uint32_t inner = cut ? node.shape.cols : x.shape.cols;
    const std::uint32_t outer = cut ? x.shape.cols : node.shape.cols;
    if (node.index > outer || inner > outer - node.index) {
      refuse(node, "{} columns from column {} of {}; columns inside it would fit", inner,
             node.index, outer);
    }
    node.shape.rows = x.shape.rows;
  }
  node.axis = x.axis;
}

void infer_sum(Node& node, const Args& args) {
  need_rows(node, *args[0]);
  const Shape a = args[0]->shape;
  node.axis = node.op == Op::sum_rows ? args[0]->axis : Axis::shared;
  node.shape = node.op == Op::sum_rows ? Shape{1, a.cols} : a;
  if (node.op != Op::outer_sum) return;
  need_rows(node, *args[1]);
  const Shape b = args[1]->shape;
  if (a.rows != b.rows) {
    refuse(node, "the operands are {} and {}; equal feature rows would fit", to_string(a),
           to_string(b));
  }
  node.shape = {a.cols, b.cols};
}

void infer_leaf(Node& node) {
  if (node.op == Op::parameter) {
    node.axis = Axis::shared;
  } else if (node.axis == Axis::shared) {
    refuse(node, "the axis is shared; batch or repeated would fit (a shared value is a parameter)");
  }
}

void infer_unit_tangents(Node& node, const Args& args) {
  const Node& h = *args[0];
  if (h.axis != Axis::batch) refuse(node, "h is {}; a batch value would fit", what(h));
  node.shape.rows = h.shape.rows;
  node.axis = Axis::repeated;
}

}  // namespace

void infer(Node& node, const Args& args, std::uint32_t repeat) {
  switch (node.op) {
    case Op::input:
    case Op::parameter:
      return infer_leaf(node);
    case Op::linear:
      return infer_linear(node, args);
    case Op::matmul:
      return infer_matmul(node, args);
    case Op::add:
    case Op::mul:
      return infer_elementwise(node, args);
    case Op::softmax_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      return infer_row_gradient(node, args);
    case Op::concat:
      return infer_concat(node, args);
    case Op::reshape:
    case Op::slice:
    case Op::pad:
      return infer_columns(node, args);
    case Op::sum_rows:
    case Op::batch_sum:
    case Op::outer_sum:
      return infer_sum(node, args);
    case Op::basis:
      node.axis = Axis::repeated;
      break;
    case Op::unit_tangents:
      infer_unit_tangents(node, args);
      break;
    default:
      return infer_function(node, args);
  }
  check_repeat(node, args, repeat);
}

void check_repeat(const Node& node, const Args& args, std::uint32_t repeat) {
  if (node.op == Op::basis && repeat != node.shape.size() && repeat != node.shape.cols) {
    refuse(node, "of {} in a network with repeat {}; repeat {} or {} would fit",
           to_string(node.shape), repeat, node.shape.size(), node.shape.cols);
  }
  if (node.op != Op::unit_tangents) return;
  const std::size_t fits = std::size_t{node.shape.cols} * args[0]->shape.cols;
  if (repeat != fits) {
    refuse(node, "of {} to {} in a network with repeat {}; repeat {} would fit",
           to_string(args[0]->shape), to_string(node.shape), repeat, fits);
  }
}

}  // namespace ulpfuzz
