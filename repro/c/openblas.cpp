#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "dialect.hpp"
#include "formulas.hpp"

namespace ulpfuzz::repro {
namespace {

/// One product y = op(a) op(b) + beta y of m x k and k x n matrices, as C++ expressions.
struct Gemm {
  bool transpose_a = false, transpose_b = false;
  std::string m, n, k, a, b, beta, y = "y.data()";
};

/// Which of the ways to call BLAS a program needs.
struct Ways {
  bool row = false, column = false, matrix = false, empty = false;
};

std::string gemv(bool transposes, const std::string& m, const std::string& n, const std::string& a,
                 const std::string& x, const Gemm& g) {
  return fmt::format("cblas_sgemv(CblasRowMajor, {}, {}, {}, 1, {}, {}, {}, 1, {}, {}, 1);",
                     transposes ? "CblasTrans" : "CblasNoTrans", m, n, a, n, x, g.beta, g.y);
}

/// Matrix times vector where a side is one row or column, as frameworks do.
Lines lines_of(const Gemm& g, const Ways& ways) {
  const std::string row =
      g.transpose_b ? gemv(false, g.n, g.k, g.b, g.a, g) : gemv(true, g.k, g.n, g.b, g.a, g);
  const std::string column =
      g.transpose_a ? gemv(true, g.k, g.m, g.a, g.b, g) : gemv(false, g.m, g.k, g.a, g.b, g);
  const std::string matrix =
      fmt::format("cblas_sgemm(CblasRowMajor, {}, {}, {}, {}, {}, 1, {}, {}, {}, {}, {}, {}, {});",
                  g.transpose_a ? "CblasTrans" : "CblasNoTrans",
                  g.transpose_b ? "CblasTrans" : "CblasNoTrans", g.m, g.n, g.k, g.a,
                  g.transpose_a ? g.m : g.k, g.b, g.transpose_b ? g.k : g.n, g.beta, g.y, g.n);
  std::vector<std::pair<std::string, std::string>> branches;  // condition, call
  if (ways.row) branches.emplace_back(g.m + " == 1", row);
  if (ways.column) branches.emplace_back(g.n + " == 1", column);
  if (ways.matrix) branches.emplace_back("", matrix);
  if (branches.empty()) return {};
  branches.back().first.clear();
  Lines lines;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const bool only = branches.size() == 1;
    if (!branches[i].first.empty())
      lines.push_back(fmt::format("{}if ({})", i == 0 ? "" : "else ", branches[i].first));
    else if (!only)
      lines.push_back("else");
    lines.push_back((only ? "" : "  ") + branches[i].second);
  }
  if (ways.empty) {
    for (std::string& line : lines) line = "  " + line;
    lines.insert(lines.begin(), fmt::format("if ({} > 0) {{", g.k));
    lines.push_back("}");
  }
  return lines;
}

/// `m`, `n`, `k`: where they stand among the sizes.
Ways ways_of(const Uses& uses, std::size_t m, std::size_t n, std::size_t k) {
  Ways ways;
  for (const auto& sizes : uses) {
    if (sizes[m] == 0 || sizes[n] == 0) continue;
    if (sizes[k] == 0)
      ways.empty = true;
    else if (sizes[m] == 1)
      ways.row = true;
    else if (sizes[n] == 1)
      ways.column = true;
    else
      ways.matrix = true;
  }
  return ways;
}

Lines linear(bool bias, const Uses& uses) {
  Lines lines;
  if (bias)
    lines = {"for (int r = 0; r < rows; ++r) std::copy_n(bias.data(), n, y.data() + r * n);"};
  const Gemm g{false, true, "rows", "n", "k", "x.data()", "w.data()", bias ? "1" : "0"};
  for (const std::string& line : lines_of(g, ways_of(uses, 0, 2, 1))) lines.push_back(line);
  return lines;
}

Lines matmul(const KernelId& id, const Uses& uses) {
  Gemm g{id.transpose_a, id.transpose_b, "m", "n", "k", "a.data()", "b.data()", "0"};
  if (!id.each) return lines_of(g, ways_of(uses, 0, 2, 1));
  g.a = "a.data() + e / a_repeat * a_stride";
  g.b = "b.data() + e / b_repeat * b_stride";
  g.y = "y.data() + e * m * n";
  const Lines calls = lines_of(g, ways_of(uses, 1, 3, 2));
  Lines lines = {"for (int e = 0; e < entries; ++e) {"};
  for (const std::string& line : calls) lines.push_back("  " + line);
  lines.push_back("}");
  return lines;
}

/// "eight(f, _ZGVdN8v_expf, expf);"
std::string vector_call(const std::string& array, const std::string& function) {
  return fmt::format("eight({}, _ZGVdN8v_{}f, std::{});", array, function, function);
}

const std::string eight =
    R"(// Eight elements at a time by libmvec, what is left over by libm: as vectorised loops do.
void eight(Values& v, __m256 (*vector)(__m256), float (*scalar)(float)) {
  const std::size_t n = v.size(), whole = n / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8)
    _mm256_storeu_ps(&v[i], vector(_mm256_loadu_ps(&v[i])));
  for (std::size_t i = whole; i < n; ++i) v[i] = scalar(v[i]);
})";

std::string declaration(const std::string& function) {
  return fmt::format("extern \"C\" __m256 _ZGVdN8v_{}f(__m256);  // of libmvec", function);
}

/// An array function in place of one of a float.
void vectorise(Kernel& kernel, const KernelId& id) {
  const Formula formula = formula_of(id);
  if (formula.first.empty()) return;
  kernel.helpers = {declaration(formula.first)};
  if (!formula.second.empty() && formula.second != formula.first)
    kernel.helpers.push_back(declaration(formula.second));
  kernel.helpers.push_back(eight);
  kernel.call = array_lines(formula, vector_call);
  kernel.result = "count";
  kernel.headers = {"<immintrin.h>"};
  kernel.flags = {"-mavx2"};
  kernel.libraries = {"-lmvec"};
}

}  // namespace

Dialect openblas_dialect() {
  Dialect d;
  if (const char* core = std::getenv("OPENBLAS_CORETYPE"))
    d.environment = fmt::format("OPENBLAS_CORETYPE={} ", core);
  d.adapt = [](Kernel& kernel, const KernelId& id, const Uses& uses) {
    if (id.spread) return;
    if (id.op == Op::linear) {
      kernel.call = linear(id.bias, uses);
    } else if (id.op == Op::matmul) {
      kernel.call = matmul(id, uses);
    } else if (id.op == Op::outer_sum) {
      const Gemm g{true, false, "n", "k", "rows", "a.data()", "b.data()", "0"};
      kernel.call = lines_of(g, ways_of(uses, 1, 2, 0));
    }
    if (!kernel.call.empty()) {
      kernel.headers = {"<cblas.h>"};
      kernel.libraries = {"-lopenblas"};
      if (id.bias) kernel.headers.push_back("<algorithm>");
    } else if (is_activation(id.op) || id.op == Op::derivative) {
      vectorise(kernel, id);
    }
  };
  return d;
}

}  // namespace ulpfuzz::repro
