#include <fmt/format.h>

#include "refusals.hpp"
#include "spellers.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr Helper helpers[] = {
    {"rms_norm",
     "def rms_norm(x, eps):\n"
     "    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)\n"}};

std::string linear(const Spelling& s) {
  std::string bias;
  if (s.node.arity == 3) {
    const Node& b = s.operand(2);
    bias = ", " + s.args[2] + (s.layout.is_vector[b.index] ? "" : "[0]");
  }
  return fmt::format("F.linear({}, {}{})", s.args[0], s.args[1], bias);
}

std::string matmul(const Spelling& s) {
  const std::string a = s.node.transpose_a ? s.factor(0) + ".mT" : s.args[0];
  const std::string b = s.node.transpose_b ? s.factor(1) + ".mT" : s.args[1];
  return fmt::format("torch.matmul({}, {})", a, b);
}

std::string call(const Spelling& s, const char* function, const std::string& more = "") {
  return fmt::format("{}({}{})", function, s.args[0], more);
}

std::string reshape(const Spelling& s) {
  if (s.node.shape == s.operand(0).shape) return s.args[0];
  return fmt::format("{}.reshape(*{}.shape[:-2], {}, {})", s.factor(0), s.factor(0),
                     s.node.shape.rows, s.node.shape.cols);
}

}  // namespace

std::string spell_torch(const Spelling& s) {
  const std::string alpha = python_alpha(s.node.alpha);
  switch (s.node.op) {
    case Op::linear:
      return linear(s);
    case Op::matmul:
      return matmul(s);
    case Op::add:
      return fmt::format("{} + {}", s.args[0], s.factor(1));
    case Op::mul:
      return fmt::format("{} * {}", s.factor(0), s.factor(1));
    case Op::relu:
      return call(s, "torch.relu");
    case Op::leaky_relu:
      return call(s, "F.leaky_relu", ", " + alpha);
    case Op::tanh:
      return call(s, "torch.tanh");
    case Op::sigmoid:
      return call(s, "torch.sigmoid");
    case Op::silu:
      return call(s, "F.silu");
    case Op::gelu_erf:
      return call(s, "F.gelu");
    case Op::gelu_tanh:
      return call(s, "F.gelu", ", approximate=\"tanh\"");
    case Op::softplus:
      return call(s, "F.softplus");
    case Op::elu:
      return call(s, "F.elu", s.node.alpha == 1 ? "" : ", alpha=" + alpha);
    case Op::softmax:
      return call(s, "torch.softmax", ", dim=-1");
    case Op::layer_norm:
      return call(s, "F.layer_norm", fmt::format(", ({},), eps={}", s.node.shape.cols, alpha));
    case Op::rms_norm:
      return s.helper("rms_norm", alpha);
    case Op::concat:
      return fmt::format("torch.cat(({}, {}), dim=-1)", s.args[0], s.args[1]);
    case Op::reshape:
      return reshape(s);
    default:
      refuse_op(s.node.op, "PyTorch");
  }
}

Lines torch_helpers(const std::set<std::string>& names) { return definitions(helpers, names); }

}  // namespace ulpfuzz::repro
