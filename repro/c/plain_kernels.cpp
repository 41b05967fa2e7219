#include <fmt/format.h>

#include "code.hpp"
#include "formulas.hpp"

namespace ulpfuzz::repro {
namespace {

Kernel make(std::string name, std::string comment, Lines arrays, Lines sizes, std::string result,
            std::string index, std::string count, Lines body) {
  return {.name = std::move(name),
          .comment = std::move(comment),
          .arrays = std::move(arrays),
          .sizes = std::move(sizes),
          .result = std::move(result),
          .index = std::move(index),
          .count = std::move(count),
          .body = std::move(body),
          .call = {},
          .helpers = {},
          .headers = {},
          .flags = {},
          .libraries = {}};
}

Kernel linear(bool bias) {
  return make("linear", bias ? "x[rows,k] w[n,k]^T + bias[n]" : "x[rows,k] w[n,k]^T",
              bias ? Lines{"x", "w", "bias"} : Lines{"x", "w"}, {"rows", "k", "n"}, "rows * n", "r",
              "rows",
              {"for (int j = 0; j < n; ++j) {", "  float sum = 0;",
               "  for (int i = 0; i < k; ++i) sum += x[r * k + i] * w[j * k + i];",
               bias ? "  y[r * n + j] = sum + bias[j];" : "  y[r * n + j] = sum;", "}"});
}

Kernel matmul(const KernelId& id) {
  const char* a = id.transpose_a ? "p * m + i" : "i * k + p";
  const char* b = id.transpose_b ? "j * k + p" : "p * n + j";
  const std::string comment = fmt::format("{} {}", id.transpose_a ? "a[k,m]^T" : "a[m,k]",
                                          id.transpose_b ? "b[n,k]^T" : "b[k,n]");
  std::string name = "matmul";
  if (id.transpose_a) name += "_ta";
  if (id.transpose_b) name += "_tb";
  if (!id.each)
    return make(name, comment, {"a", "b"}, {"m", "k", "n"}, "m * n", "i", "m",
                {"for (int j = 0; j < n; ++j) {", "  float sum = 0;",
                 fmt::format("  for (int p = 0; p < k; ++p) sum += a[{}] * b[{}];", a, b),
                 "  y[i * n + j] = sum;", "}"});
  return make(
      name + "_each", comment + " for each entry e, of operands e / repeat * stride", {"a", "b"},
      {"entries", "m", "k", "n", "a_stride", "a_repeat", "b_stride", "b_repeat"}, "entries * m * n",
      "e", "entries",
      {"const int ea = e / a_repeat * a_stride, eb = e / b_repeat * b_stride;",
       "for (int i = 0; i < m; ++i)", "  for (int j = 0; j < n; ++j) {", "    float sum = 0;",
       fmt::format("    for (int p = 0; p < k; ++p) sum += a[ea + {}] * b[eb + {}];", a, b),
       "    y[(e * m + i) * n + j] = sum;", "  }"});
}

Kernel outer_sum() {
  return make("outer_sum", "a[rows,n]^T b[rows,k]", {"a", "b"}, {"rows", "n", "k"}, "n * k", "i",
              "n",
              {"for (int j = 0; j < k; ++j) {", "  float sum = 0;",
               "  for (int r = 0; r < rows; ++r) sum += a[r * n + i] * b[r * k + j];",
               "  y[i * k + j] = sum;", "}"});
}

Kernel softmax() {
  return make("softmax", "e^(x - max) / sum of each row", {"x"}, {"rows", "n"}, "rows * n", "r",
              "rows",
              {"float top = -INFINITY, sum = 0;",
               "for (int i = 0; i < n; ++i) top = x[r * n + i] > top ? x[r * n + i] : top;",
               "for (int i = 0; i < n; ++i) sum += y[r * n + i] = std::exp(x[r * n + i] - top);",
               "for (int i = 0; i < n; ++i) y[r * n + i] /= sum;"});
}

const Lines standardize = {"float mean = 0, square = 0;",
                           "for (int i = 0; i < n; ++i) mean += x[r * n + i];",
                           "mean /= n;",
                           "for (int i = 0; i < n; ++i) y[r * n + i] = x[r * n + i] - mean;",
                           "for (int i = 0; i < n; ++i) square += y[r * n + i] * y[r * n + i];",
                           "const float scale = 1 / std::sqrt(square / n + EPSILON);",
                           "for (int i = 0; i < n; ++i) y[r * n + i] *= scale;"};
const Lines normalize = {"float square = 0;",
                         "for (int i = 0; i < n; ++i) square += x[r * n + i] * x[r * n + i];",
                         "const float scale = 1 / std::sqrt(square / n + EPSILON);",
                         "for (int i = 0; i < n; ++i) y[r * n + i] = x[r * n + i] * scale;"};

Kernel of_rows(std::string name, std::string comment, Lines arrays, Lines body,
               const Lines& more = {}, float epsilon = 0) {
  body.insert(body.end(), more.begin(), more.end());
  for (std::string& line : body) line = with_word(line, "EPSILON", short_float(epsilon));
  return make(std::move(name), std::move(comment), std::move(arrays), {"rows", "n"}, "rows * n",
              "r", "rows", std::move(body));
}

Kernel row_kernel(const KernelId& id) {
  switch (id.op) {
    case Op::layer_norm:
      return of_rows("layer_norm", "(x - mean) / sqrt(variance + epsilon) of each row", {"x"},
                     standardize, {}, id.alpha);
    case Op::rms_norm:
      return of_rows("rms_norm", "x / sqrt(mean x^2 + epsilon) of each row", {"x"}, normalize, {},
                     id.alpha);
    case Op::softmax_grad:
      return of_rows(
          "softmax_gradient", "s (v - s.v) of each row", {"v", "s"},
          {"float dot = 0;", "for (int i = 0; i < n; ++i) dot += v[r * n + i] * s[r * n + i];",
           "for (int i = 0; i < n; ++i) y[r * n + i] = s[r * n + i] * (v[r * n + i] - dot);"});
    case Op::layer_norm_grad:
      return of_rows(
          "layer_norm_gradient", "the Jacobian of layer_norm at x times v, row by row", {"v", "x"},
          standardize,
          {"float v_mean = 0, along = 0;", "for (int i = 0; i < n; ++i) v_mean += v[r * n + i];",
           "for (int i = 0; i < n; ++i) along += v[r * n + i] * y[r * n + i];", "v_mean /= n;",
           "along /= n;", "for (int i = 0; i < n; ++i)",
           "  y[r * n + i] = scale * (v[r * n + i] - v_mean - y[r * n + i] * along);"},
          id.alpha);
    default:
      return of_rows(
          "rms_norm_gradient", "the Jacobian of rms_norm at x times v, row by row", {"v", "x"},
          normalize,
          {"float along = 0;", "for (int i = 0; i < n; ++i) along += v[r * n + i] * y[r * n + i];",
           "along /= n;", "for (int i = 0; i < n; ++i)",
           "  y[r * n + i] = scale * (v[r * n + i] - y[r * n + i] * along);"},
          id.alpha);
  }
}

/// Ops that add rows up or only move elements.
Kernel other_kernel(const KernelId& id) {
  switch (id.op) {
    case Op::batch_sum:
      return make(
          "sum", "the sum of x[rows,n] over its rows", {"x"}, {"rows", "n"}, "n", "j", "n",
          {"float sum = 0;", "for (int r = 0; r < rows; ++r) sum += x[r * n + j];", "y[j] = sum;"});
    case Op::sum_rows:
      return make("sum_rows", "the sum of x[entries,m,n] over m", {"x"}, {"entries", "m", "n"},
                  "entries * n", "e", "entries",
                  {"for (int j = 0; j < n; ++j) {", "  float sum = 0;",
                   "  for (int i = 0; i < m; ++i) sum += x[(e * m + i) * n + j];",
                   "  y[e * n + j] = sum;", "}"});
    case Op::concat:
      return make("concat", "a[rows,m] and b[rows,n] side by side", {"a", "b"}, {"rows", "m", "n"},
                  "rows * (m + n)", "r", "rows",
                  {"for (int i = 0; i < m; ++i) y[r * (m + n) + i] = a[r * m + i];",
                   "for (int i = 0; i < n; ++i) y[r * (m + n) + m + i] = b[r * n + i];"});
    case Op::slice:
      return make("columns", "columns [start, start + n) of x[rows,m]", {"x"},
                  {"rows", "m", "start", "n"}, "rows * n", "r", "rows",
                  {"for (int i = 0; i < n; ++i) y[r * n + i] = x[r * m + start + i];"});
    case Op::pad:
      return make("pad", "x[rows,m] from column `start` of zeros[rows,n] on", {"x"},
                  {"rows", "m", "start", "n"}, "rows * n", "r", "rows",
                  {"for (int i = 0; i < n; ++i)",
                   "  y[r * n + i] = i >= start && i < start + m ? x[r * m + i - start] : 0;"});
    case Op::basis:
      return make("unit_tangents",
                  "one-hot tangents: entry t of each row has ones at t, t + repeat, ...", {},
                  {"entries", "n", "repeat"}, "entries * n", "e", "entries",
                  {"for (int i = 0; i < n; ++i) y[e * n + i] = i % repeat == e % repeat;"});
    default:
      return make(
          "weight_tangents", "tangents of a weight[n,k]: entry i k + j has h[:,j] in column i",
          {"h"}, {"batch", "m", "k", "n"}, "batch * n * k * m * n", "b", "batch",
          {"for (int t = 0; t < n * k; ++t)", "  for (int r = 0; r < m; ++r)",
           "    for (int i = 0; i < n; ++i)", "      y[((b * n * k + t) * m + r) * n + i] =",
           "          i == t / k ? h[(b * m + r) * k + t % k] : 0;"});
  }
}

Kernel elementwise(const KernelId& id) {
  const bool adds = id.op == Op::add;
  return make(adds ? "add" : "multiply", adds ? "a + b" : "a b, element by element", {"a", "b"},
              {"count"}, "count", "i", "count",
              {adds ? "y[i] = a[i] + b[i];" : "y[i] = a[i] * b[i];"});
}

Kernel spread() {
  return make("spread",
              "x for each entry e, from e / repeat * stride on; step 0: one row for all m", {"x"},
              {"entries", "m", "n", "repeat", "stride", "step"}, "entries * m * n", "e", "entries",
              {"for (int i = 0; i < m; ++i)", "  for (int j = 0; j < n; ++j)",
               "    y[(e * m + i) * n + j] = x[e / repeat * stride + i * step + j];"});
}

}  // namespace

Kernel plain_kernel(const KernelId& id) {
  if (id.spread) return spread();
  switch (id.op) {
    case Op::linear:
      return linear(id.bias);
    case Op::matmul:
      return matmul(id);
    case Op::outer_sum:
      return outer_sum();
    case Op::add:
    case Op::mul:
      return elementwise(id);
    case Op::softmax:
      return softmax();
    case Op::layer_norm:
    case Op::rms_norm:
    case Op::softmax_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      return row_kernel(id);
    case Op::concat:
    case Op::slice:
    case Op::pad:
    case Op::basis:
    case Op::unit_tangents:
    case Op::sum_rows:
    case Op::batch_sum:
      return other_kernel(id);
    default:
      return make(function_name(id), "", {"x"}, {"count"}, "count", "", "",
                  body_of(formula_of(id)));
  }
}

}  // namespace ulpfuzz::repro
