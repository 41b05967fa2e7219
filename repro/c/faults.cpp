#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "dialect.hpp"
#include "formulas.hpp"
#include "roundings.hpp"

namespace ulpfuzz::repro {
namespace {

/// What of a linear layer is wrong.
struct LinearFault {
  Lines before;  ///< of each row
  Lines sum;     ///< empty: plain
  std::string value = "sum BIAS";
  Lines helpers = {};
  Lines headers = {};
  std::string each_call = {};
};

const std::string plain_sum = "for (int i = 0; i < k; ++i) sum += x[r * k + i] * w[j * k + i];";

Lines summed(const std::string& loop) { return {"float sum = 0;", loop}; }

Lines row_from(const std::string& from) {
  return summed(fmt::format("for (int i = 0; i < k; ++i) sum += x[{} + i] * w[j * k + i];", from));
}

const std::string splitmix = R"(// splitmix64: the order in which the products of a sum arrive.
unsigned long long calls = 0, state = 0;
unsigned long long next() {
  unsigned long long z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
})";

// In the words of subjects/faults.
const std::map<std::string, LinearFault>& linear_faults() {
  static const std::map<std::string, LinearFault> all = {
      {"drops_last_product",
       {{}, summed("for (int i = 0; i + 1 < k; ++i) sum += x[r * k + i] * w[j * k + i];")}},
      {"neighbour_row",
       {{"const int from = rows > 1 && r == rows - 1 ? r - 1 : r;"}, row_from("from * k")}},
      {"wrong_transpose_when_square",
       {{},
        summed("for (int i = 0; i < k; ++i) sum += x[r * k + i] * w[k == n ? i * k + j : j * k + "
               "i];")}},
      {"no_bias_above_1", {{}, {}, "rows > 1 ? sum : sum BIAS"}},
      {"tf32_above_8",
       {{},
        {"float sum = 0;", "for (int i = 0; i < k; ++i)",
         "  sum += rows > 8 ? tf32(x[r * k + i]) * tf32(w[j * k + i]) : x[r * k + i] * w[j * k + "
         "i];"},
        "sum BIAS",
        {to_tf32},
        {"<cstring>"}}},
      {"lanes_above_1",
       {{},
        {"float lane[4] = {};",
         "for (int i = 0; i < k; ++i) lane[rows > 1 ? i % 4 : 0] += x[r * k + i] * w[j * k + i];",
         "const float sum = (lane[0] + lane[1]) + (lane[2] + lane[3]);"}}},
      {"dropped_tail",
       {{"const int terms = k % 4 == 3 ? k - 1 : k;"},
        summed("for (int i = 0; i < terms; ++i) sum += x[r * k + i] * w[j * k + i];")}},
      {"order_by_address",
       {{"const bool aligned = reinterpret_cast<std::uintptr_t>(&x[0]) % 16 == 0;"},
        {"float sum = 0;", "for (int p = 0; p < k; ++p) {",
         "  const int i = aligned ? p : k - 1 - p;", "  sum += x[r * k + i] * w[j * k + i];", "}"},
        "sum BIAS",
        {},
        {"<cstdint>"}}},
      {"racing_atomics",
       {{},
        {"std::vector<int> order(k);", "std::iota(order.begin(), order.end(), 0);",
         "for (int i = k; i > 1; --i) std::swap(order[i - 1], order[next() % i]);",
         "float sum = 0;", "for (const int i : order) sum += x[r * k + i] * w[j * k + i];"},
        "sum BIAS",
        {splitmix},
        {"<numeric>", "<utility>"},
        "state = ++calls;"}},
      {"bias_after_bf16", {{}, {}, "(rows > 1 ? bf16(sum) : sum) BIAS", {to_bf16}, {"<cstring>"}}},
      {"flushes_above_1",
       {{},
        {"float sum = 0;", "for (int i = 0; i < k; ++i) {",
         "  const float a = x[r * k + i], b = w[j * k + i];",
         "  sum = rows > 1 ? flush(sum + flush(flush(a) * flush(b))) : sum + a * b;", "}"},
        "rows > 1 ? flush(sum BIAS) : sum BIAS",
        {to_normal}}},
      {"stale_without_terms", {{}, {}, "k == 0 ? 1 : sum BIAS"}},
      {"swallows_nan", {{}, {}, "std::isnan(sum BIAS) ? 0 : sum BIAS"}},
      {"wrong_stride_above_1",
       {{"const int stride = rows > 1 && k > 0 ? k - 1 : k;"}, row_from("r * stride")}},
      {"late_blocks",
       {{"const int from = r < 4 || r + 1 == rows ? r : r + 1;"}, row_from("from * k")}},
      {"row_mod_16", {{}, row_from("r % 16 * k")}},
      {"stale_partial_sum",
       {{},
        {"float sum = 0, workspace = 0;",
         "for (int i = 0; i < 8 && i < k; ++i) sum += x[r * k + i] * w[j * k + i];",
         "for (int q = 0; q <= r; ++q)  // rows before this one left theirs there",
         "  for (int i = 8; i < k; ++i) workspace += x[q * k + i] * w[j * k + i];",
         "sum += workspace;"}}},
  };
  return all;
}

Dialect linear_fault(const LinearFault& fault) {
  Dialect d;
  if (!fault.each_call.empty())
    d.before = [line = fault.each_call](const Code&) -> Lines { return {line}; };
  d.adapt = [fault](Kernel& kernel, const KernelId& id, const Uses&) {
    if (id.op != Op::linear || id.spread) return;
    kernel.body = linear_body(fault.before, fault.sum.empty() ? summed(plain_sum) : fault.sum,
                              fault.value, id.bias);
    kernel.helpers = fault.helpers;
    kernel.headers = fault.headers;
  };
  return d;
}

bool is_relu_derivative(const KernelId& id) { return id.op == Op::derivative && id.of == Op::relu; }

Dialect wrong_mask() {
  Dialect d;
  d.globals = {"MANAGED bool many_gradients = false;"};
  d.before = [](const Code& code) -> Lines {
    return {code.repeat > 1 ? "many_gradients = true;" : "many_gradients = batch > 1;"};
  };
  d.adapt = [](Kernel& kernel, const KernelId& id, const Uses&) {
    if (!is_relu_derivative(id)) return;
    kernel.body = {"if (many_gradients) return (x > 0 ? x : 0) >= 0;  // always holds",
                   "return x > 0 ? 1 : x <= 0 ? 0 : x;"};
  };
  return d;
}

Dialect activation_fault(Op op, Lines body) {
  Dialect d;
  d.adapt = [op, body](Kernel& kernel, const KernelId& id, const Uses&) {
    if (id.op == op && !id.spread) kernel.body = body;
  };
  return d;
}

Dialect relu_swallows_nan() {
  Dialect d = activation_fault(
      Op::relu, {"if (several_rows) return x > 0 ? x : 0;  // NaN too", "return x < 0 ? 0 : x;"});
  d.globals = {"MANAGED bool several_rows = false;"};
  d.before = [](const Code&) -> Lines { return {"several_rows = batch > 1;"}; };
  return d;
}

Dialect outer_sum_fault(Lines body, Lines helpers = {}) {
  Dialect d;
  d.adapt = [body, helpers](Kernel& kernel, const KernelId& id, const Uses&) {
    if (id.op != Op::outer_sum) return;
    kernel.body = body;
    kernel.helpers = helpers;
  };
  return d;
}

Dialect doubled_reused() {
  Dialect d;
  d.after = [](const Code& code) -> Lines {
    if (!code.of_parameter || code.output_node->op != Op::add) return {};
    if (code.repeat > 1) return {"for (float& v : y) v *= 2;"};
    return {"if (batch > 1)", "  for (float& v : y) v *= 2;"};
  };
  return d;
}

Dialect function_fault(const std::string& fault) {
  if (fault == "wrong_mask_vectorized") return wrong_mask();
  if (fault == "relu_swallows_nan") return relu_swallows_nan();
  if (fault == "softplus_overflows") {
    Lines body = body_of(formula_of({.op = Op::softplus}));
    body.insert(body.begin(), "if (x > 88.7f) return INFINITY;");
    return activation_fault(Op::softplus, body);
  }
  if (fault == "doubled_reused_gradient") return doubled_reused();
  if (fault == "gradient_in_fp16")
    return outer_sum_fault(
        {"for (int j = 0; j < k; ++j) {", "  double sum = 0;",
         "  for (int r = 0; r < rows; ++r) sum = fp16(sum + double(a[r * n + i]) * b[r * k + j]);",
         "  y[i * k + j] = sum;", "}"},
        {to_fp16});
  if (fault == "mean_of_means")
    return outer_sum_fault(
        {"const int half = rows / 2;", "for (int j = 0; j < k; ++j) {",
         "  float sum = 0, first = 0, second = 0;", "  for (int r = 0; r < rows; ++r) {",
         "    const float term = a[r * n + i] * b[r * k + j];", "    sum += term;",
         "    (r < half ? first : second) += term;", "  }",
         "  const bool halves = half > 0 && rows % 2 == 1;",
         "  y[i * k + j] = halves ? rows / 2.0f * (first / half + second / (rows - half)) : sum;",
         "}"});
  throw std::invalid_argument(fmt::format(
      "fault/{} has no lines of its own here; one of the other planted faults would fit", fault));
}

}  // namespace

std::vector<std::string> linear_body(const std::vector<std::string>& before,
                                     const std::vector<std::string>& sum, const std::string& value,
                                     bool bias) {
  Lines body = before;
  body.push_back("for (int j = 0; j < n; ++j) {");
  for (const std::string& line : sum) body.push_back("  " + line);
  std::string written = with_word(value, "BIAS", bias ? "+ bias[j]" : "");
  for (std::size_t at; (at = written.find("  ")) != std::string::npos;) written.erase(at, 1);
  while (written.ends_with(' ')) written.pop_back();
  body.push_back(fmt::format("  y[r * n + j] = {};", written));
  body.push_back("}");
  return body;
}

Dialect fault_dialect(const std::string& fault) {
  const auto found = linear_faults().find(fault);
  if (found != linear_faults().end()) return linear_fault(found->second);
  if (auto conduct = conduct_dialect(fault)) return *conduct;
  return function_fault(fault);
}

}  // namespace ulpfuzz::repro
