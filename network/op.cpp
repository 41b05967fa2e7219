#include "ulpfuzz/network/op.hpp"

#include <algorithm>
#include <array>

namespace ulpfuzz {
namespace {

constexpr std::array<std::string_view, op_count> names = {
    "input",        "parameter",    "linear",          "matmul",        "add",
    "mul",          "relu",         "leaky_relu",      "tanh",          "sigmoid",
    "silu",         "gelu_erf",     "gelu_tanh",       "softplus",      "elu",
    "softmax",      "layer_norm",   "rms_norm",        "concat",        "reshape",
    "derivative",   "softmax_grad", "layer_norm_grad", "rms_norm_grad", "slice",
    "pad",          "sum_rows",     "batch_sum",       "outer_sum",     "basis",
    "unit_tangents"};
static_assert(!names.back().empty(), "each op has a name");

}  // namespace

std::string_view name(Op op) {
  const auto i = static_cast<std::size_t>(op);
  return i < names.size() ? names[i] : "unknown op";
}

std::optional<Op> op_from(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Op>(found - names.begin());
}

bool is_activation(Op op) { return op >= Op::relu && op <= Op::elu; }

}  // namespace ulpfuzz
