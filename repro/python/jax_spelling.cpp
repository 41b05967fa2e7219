#include <fmt/format.h>

#include "refusals.hpp"
#include "spellers.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr Helper helpers[] = {
    {"layer_norm",
     "def layer_norm(x, eps):\n"
     "    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)\n"
     "    return (x - mean) * jax.lax.rsqrt(var + eps)\n"},
    {"rms_norm",
     "def rms_norm(x, eps):\n"
     "    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + eps)\n"}};

std::string linear(const Spelling& s) {
  const std::string product = fmt::format("jnp.dot({}, {}.T)", s.args[0], s.args[1]);
  return s.node.arity == 3 ? product + " + " + s.args[2] : product;
}

std::string transposed(const Spelling& s, std::size_t i, bool is) {
  if (!is) return s.args[i];
  if (!is_batch_value(s.operand(i))) return s.factor(i) + ".T";
  return fmt::format("jnp.swapaxes({}, -1, -2)", s.args[i]);
}

std::string call(const Spelling& s, const char* function, const std::string& more = "") {
  return fmt::format("{}({}{})", function, s.args[0], more);
}

std::string reshape(const Spelling& s) {
  if (s.node.shape == s.operand(0).shape) return s.args[0];
  return fmt::format("{}.reshape({}.shape[:-2] + ({}, {}))", s.factor(0), s.factor(0),
                     s.node.shape.rows, s.node.shape.cols);
}

}  // namespace

std::string spell_jax(const Spelling& s) {
  const std::string alpha = python_alpha(s.node.alpha);
  switch (s.node.op) {
    case Op::linear:
      return linear(s);
    case Op::matmul:
      return fmt::format("jnp.matmul({}, {})", transposed(s, 0, s.node.transpose_a),
                         transposed(s, 1, s.node.transpose_b));
    case Op::add:
      return fmt::format("{} + {}", s.args[0], s.factor(1));
    case Op::mul:
      return fmt::format("{} * {}", s.factor(0), s.factor(1));
    case Op::relu:
      return call(s, "jax.nn.relu");
    case Op::leaky_relu:
      return call(s, "jax.nn.leaky_relu", ", " + alpha);
    case Op::tanh:
      return call(s, "jnp.tanh");
    case Op::sigmoid:
      return call(s, "jax.nn.sigmoid");
    case Op::silu:
      return call(s, "jax.nn.silu");
    case Op::gelu_erf:
      return call(s, "jax.nn.gelu", ", approximate=False");
    case Op::gelu_tanh:
      return call(s, "jax.nn.gelu");
    case Op::softplus:
      return call(s, "jax.nn.softplus");
    case Op::elu:
      return call(s, "jax.nn.elu", s.node.alpha == 1 ? "" : ", " + alpha);
    case Op::softmax:
      return call(s, "jax.nn.softmax");
    case Op::layer_norm:
    case Op::rms_norm:
      return s.helper(std::string(name(s.node.op)), alpha);
    case Op::concat:
      return fmt::format("jnp.concatenate(({}, {}), -1)", s.args[0], s.args[1]);
    case Op::reshape:
      return reshape(s);
    default:
      refuse_op(s.node.op, "JAX");
  }
}

Lines jax_helpers(const std::set<std::string>& names) { return definitions(helpers, names); }

}  // namespace ulpfuzz::repro
