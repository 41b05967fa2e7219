#include <fmt/format.h>

#include "shape_rules.hpp"

namespace ulpfuzz {

std::string to_string(Shape shape) { return fmt::format("[{},{}]", shape.rows, shape.cols); }

Arity arity(Op op) {
  switch (op) {
    case Op::input:
    case Op::parameter:
    case Op::basis:
      return {0, 0};
    case Op::linear:
      return {2, 3};
    case Op::matmul:
    case Op::add:
    case Op::mul:
    case Op::concat:
    case Op::softmax_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
    case Op::outer_sum:
      return {2, 2};
    default:
      return {1, 1};
  }
}

bool is_derivative_op(Op op) { return op >= Op::derivative; }

Node normalized(const Node& node) {
  const Op phi = node.op == Op::derivative ? node.of : node.op;
  const bool has_alpha = phi == Op::leaky_relu || phi == Op::elu || phi == Op::layer_norm ||
                         phi == Op::rms_norm || phi == Op::layer_norm_grad ||
                         phi == Op::rms_norm_grad;
  Node clean = node;
  for (std::size_t i = node.arity; i < clean.args.size(); ++i) clean.args[i] = 0;
  if (node.op != Op::matmul) clean.transpose_a = clean.transpose_b = false;
  if (node.op != Op::derivative) clean.of = Op::relu;
  if (node.op != Op::slice && node.op != Op::pad) clean.index = 0;
  if (!has_alpha) clean.alpha = 0;
  return clean;
}

}  // namespace ulpfuzz
