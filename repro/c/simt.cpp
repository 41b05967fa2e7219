#include "simt.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "roundings.hpp"

namespace ulpfuzz::repro {
namespace {

// arXiv 2511.10909
const std::string tensor_core =
    R"(// A tensor core of Ampere and Ada on TF32: four exact products and the sum are cut to 24 bits
// behind the largest exponent among them, added exactly, and cut to fp32 (MMA-Sim).
DEVICE float tensor_core(float sum, const float* a, const float* b) {
  int top = -126;
  double plain = sum;
  if (sum != 0 && std::ilogb(sum) > top) top = std::ilogb(sum);
  for (int i = 0; i < 4; ++i) {
    plain += double(a[i]) * b[i];
    if (a[i] == 0 || b[i] == 0) continue;
    const int exponent = std::ilogb(a[i]) + std::ilogb(b[i]);
    top = exponent > top ? exponent : top;
  }
  if (!std::isfinite(plain)) return plain;
  const double unit = std::ldexp(1.0, top - 24);
  double total = std::trunc(sum / unit);
  for (int i = 0; i < 4; ++i) total += std::trunc(double(a[i]) * b[i] / unit);
  total *= unit;
  const float nearest = total;
  return std::fabs(nearest) > std::fabs(total) ? std::nextafter(nearest, 0.0f) : nearest;
})";

Lines sum_lines(const Terms& t, const std::string& in_fp32) {
  return {"float sum = 0;",
          fmt::format("if ({}) {{", in_fp32),
          fmt::format("  for (int q = 0; q < {}; ++q) sum = std::fma({}, {}, sum);", t.k, t.a, t.b),
          "} else {",
          fmt::format("  for (int from = 0; from < {}; from += 4) {{", t.k),
          "    float left[4] = {}, right[4] = {};",
          fmt::format("    for (int q = from; q < from + 4 && q < {}; ++q) {{", t.k),
          fmt::format("      left[q - from] = tf32({});", t.a),
          fmt::format("      right[q - from] = tf32({});", t.b),
          "    }",
          "    sum = tensor_core(sum, left, right);",
          "  }",
          "}"};
}

bool is_product(const KernelId& id) {
  return !id.spread && (id.op == Op::linear || id.op == Op::matmul || id.op == Op::outer_sum);
}

/// When the profile computes in fp32.
std::string rule_of(const std::string& profile, const Terms& t) {
  if (profile == "xla-ada") return fmt::format("({} + {}) * {} < 100", t.m, t.n, t.k);
  return fmt::format("{0} == 1 || {1} == 1 || {0} * {1} * {2} < 512", t.m, t.n, t.k);
}

}  // namespace

Terms terms_of(const KernelId& id) {
  if (id.op == Op::linear) return {"rows", "n", "k", "x[r * k + q]", "w[j * k + q]"};
  if (id.op == Op::outer_sum) return {"n", "k", "rows", "a[q * n + i]", "b[q * k + j]"};
  const std::string a = id.transpose_a ? "q * m + i" : "i * k + q";
  const std::string b = id.transpose_b ? "j * k + q" : "q * n + j";
  if (!id.each) return {"m", "n", "k", fmt::format("a[{}]", a), fmt::format("b[{}]", b)};
  return {"m", "n", "k", fmt::format("a[ea + {}]", a), fmt::format("b[eb + {}]", b)};
}

std::vector<std::string> product_body(const KernelId& id, const std::vector<std::string>& sum,
                                      const std::string& value) {
  Lines lines;
  const auto add = [&](const std::string& indent, const Lines& more) {
    for (const std::string& line : more) lines.push_back(indent + line);
  };
  if (id.op == Op::linear) return linear_body({}, sum, value, id.bias);
  if (id.op == Op::outer_sum) {
    lines.push_back("for (int j = 0; j < k; ++j) {");
    add("  ", sum);
    add("", {"  y[i * k + j] = sum;", "}"});
  } else if (!id.each) {
    lines.push_back("for (int j = 0; j < n; ++j) {");
    add("  ", sum);
    add("", {"  y[i * n + j] = sum;", "}"});
  } else {
    add("", {"const int ea = e / a_repeat * a_stride, eb = e / b_repeat * b_stride;",
             "for (int i = 0; i < m; ++i)", "  for (int j = 0; j < n; ++j) {"});
    add("    ", sum);
    add("", {"    y[(e * m + i) * n + j] = sum;", "  }"});
  }
  return lines;
}

Dialect simt_dialect(const std::string& profile) {
  if (profile == "cublas-fp32") {
    Dialect d;
    d.remarks = {"Sums below are in the orders that this profile chooses by shape."};
    d.adapt = [](Kernel& kernel, const KernelId& id, const Uses& uses) {
      if (is_product(id)) adapt_order(kernel, id, uses);
    };
    return d;
  }
  if (profile != "xla-ada" && profile != "cublas-tf32") {
    throw std::invalid_argument(
        fmt::format("profile {} differs in nothing but the order of its sums, which takes its own "
                    "kernels; xla-ada, cublas-tf32 and cublas-fp32 would fit",
                    profile));
  }
  Dialect d;
  d.remarks = {
      "The products below are chosen and rounded as that profile does. It adds long sums in "
      "several "
      "parts, so that last bits may differ."};
  d.adapt = [profile](Kernel& kernel, const KernelId& id, const Uses&) {
    if (!is_product(id)) return;
    const Terms terms = terms_of(id);
    kernel.body = product_body(id, sum_lines(terms, rule_of(profile, terms)), "sum BIAS");
    kernel.helpers = {to_tf32, tensor_core};
    kernel.headers = {"<cstring>"};
  };
  return d;
}

}  // namespace ulpfuzz::repro
