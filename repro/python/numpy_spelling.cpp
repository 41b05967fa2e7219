#include <fmt/format.h>

#include "numpy_helpers.hpp"
#include "refusals.hpp"
#include "spellers.hpp"

namespace ulpfuzz::repro {
namespace {

std::string operand(const Spelling& s, std::size_t i, bool transposed) {
  if (!transposed) return s.args[i];
  if (!is_batch_value(s.operand(i))) return s.factor(i) + ".T";
  return fmt::format("np.swapaxes({}, -1, -2)", s.args[i]);
}

std::string linear(const Spelling& s) {
  if (s.modelled("linear")) return s.helper(s.layout.matrices ? "linear_nd" : "linear");
  const std::string product = fmt::format("np.matmul({}, {}.T)", s.args[0], s.args[1]);
  return s.node.arity == 3 ? product + " + " + s.args[2] : product;
}

std::string activation(const Spelling& s, Op phi, bool derivative) {
  const std::string word = (derivative ? "d_" : "") + std::string(name(phi));
  if (!s.modelled(word) && !derivative) {
    if (phi == Op::relu) return fmt::format("np.maximum({}, 0)", s.args[0]);
    if (phi == Op::tanh) return fmt::format("np.tanh({})", s.args[0]);
  }
  const bool alpha = phi == Op::leaky_relu || phi == Op::elu;
  return s.helper(word, alpha ? python_alpha(s.node.alpha) : "");
}

std::string shape_of(const Spelling& s) {
  return s.layout.matrices ? fmt::format("{}.shape[:-2] + ({}, {})", s.factor(0), s.node.shape.rows,
                                         s.node.shape.cols)
                           : "";
}

std::string reshape(const Spelling& s) {
  if (s.node.shape == s.operand(0).shape) return s.args[0];
  return fmt::format("{}.reshape({})", s.factor(0), shape_of(s));
}

/// Ops of derivative networks.
std::string derived(const Spelling& s) {
  const Node& n = s.node;
  const std::string batch = fmt::format("len({})", s.layout.inputs.front());
  switch (n.op) {
    case Op::derivative:
      return activation(s, n.of, true);
    case Op::softmax_grad:
      return s.helper("softmax_grad");
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      return s.helper(std::string(name(n.op)), python_alpha(n.alpha));
    case Op::slice:
      return fmt::format("{}[..., {}:{}]", s.factor(0), n.index, n.index + n.shape.cols);
    case Op::pad:
      return s.helper("pad", fmt::format("{}, {}", n.index, n.shape.cols));
    case Op::sum_rows:
      return fmt::format("{}.sum(-2, keepdims=True)", s.factor(0));
    case Op::batch_sum:
      return fmt::format("{}.sum((0, 1))", s.factor(0));
    case Op::outer_sum:
      return s.helper("outer_sum");
    case Op::basis:
      s.helpers.insert("basis");
      return fmt::format("basis({}, {}, {}, {})", batch, s.network.repeat(), n.shape.rows,
                         n.shape.cols);
    case Op::unit_tangents:
      return s.helper("unit_tangents", std::to_string(n.shape.cols));
    default:
      refuse_op(n.op, "NumPy");
  }
}

}  // namespace

std::string spell_numpy(const Spelling& s) {
  switch (s.node.op) {
    case Op::linear:
      return linear(s);
    case Op::matmul:
      if (s.modelled("matmul")) s.helpers.insert("matmul");
      return fmt::format("{}({}, {})", s.modelled("matmul") ? "matmul" : "np.matmul",
                         operand(s, 0, s.node.transpose_a), operand(s, 1, s.node.transpose_b));
    case Op::add:
      return fmt::format("{} + {}", s.args[0], s.factor(1));
    case Op::mul:
      return fmt::format("{} * {}", s.factor(0), s.factor(1));
    case Op::softmax:
      return s.helper("softmax");
    case Op::layer_norm:
    case Op::rms_norm:
      return s.helper(std::string(name(s.node.op)), python_alpha(s.node.alpha));
    case Op::concat:
      return fmt::format("np.concatenate(({}, {}), -1)", s.args[0], s.args[1]);
    case Op::reshape:
      return reshape(s);
    default:
      return is_activation(s.node.op) ? activation(s, s.node.op, false) : derived(s);
  }
}

}  // namespace ulpfuzz::repro
