#include <fmt/format.h>

#include <stdexcept>

#include "dialect.hpp"

namespace ulpfuzz::repro {
namespace {

/// How the library is asked: see kernels/cuda.
struct Mode {
  bool lt = false;
  const char* compute = "CUBLAS_COMPUTE_32F";
  const char* math = "CUBLAS_DEFAULT_MATH";
  const char* operand = "";  ///< type of narrow operands; empty: float
  const char* type = "CUDA_R_32F";
};

Mode mode_of(const std::string& subject) {
  const std::size_t slash = subject.find('/');
  const std::string mode = subject.substr(slash + 1);
  Mode m;
  m.lt = subject.starts_with("cublaslt");
  if (mode == "fp32") return m;
  if (mode == "pedantic") {
    m.compute = "CUBLAS_COMPUTE_32F_PEDANTIC";
    m.math = "CUBLAS_PEDANTIC_MATH";
  } else if (mode == "tf32") {
    m.compute = "CUBLAS_COMPUTE_32F_FAST_TF32";
    m.math = "CUBLAS_TF32_TENSOR_OP_MATH";
  } else if (mode == "bf16x9") {
    m.compute = "CUBLAS_COMPUTE_32F_EMULATED_16BFX9";
    m.math = "CUBLAS_FP32_EMULATED_BF16X9_MATH";
  } else if (mode == "bf16") {
    m.operand = "__nv_bfloat16";
    m.type = "CUDA_R_16BF";
  } else if (mode == "fp16") {
    m.operand = "__half";
    m.type = "CUDA_R_16F";
  } else {
    throw std::invalid_argument(
        fmt::format("{}, whose calls are not known; fp32, pedantic, tf32, bf16x9, bf16 and fp16 of "
                    "cublas and cublaslt would fit",
                    subject));
  }
  return m;
}

const char* operation(bool transposes) { return transposes ? "CUBLAS_OP_T" : "CUBLAS_OP_N"; }

/// y[m,n] = op(a) op(b) + beta y of row-major matrices, which are the transposes of BLAS' own.
struct Gemm {
  bool transpose_a = false, transpose_b = false;
  std::string m, n, k, a, b, beta;
};

std::string vector_call(const Gemm& g, bool row) {
  const bool matrix_transposed = row ? g.transpose_b : g.transpose_a;
  const bool transposes = row == matrix_transposed;
  const std::string& size = row ? g.n : g.m;
  const std::string& ld = matrix_transposed ? (row ? g.k : g.m) : (row ? g.n : g.k);
  return fmt::format(
      "check(cublasSgemv(handle, {}, {}, {}, &one, {}, {}, {}, 1, {}, y.data(), 1));",
      operation(transposes), transposes ? g.k : size, transposes ? size : g.k, row ? g.b : g.a, ld,
      row ? g.a : g.b, g.beta);
}

std::string matrix_arguments(const Gemm& g) {
  return fmt::format("{}, {}, {}, {}, {}", operation(g.transpose_b), operation(g.transpose_a), g.n,
                     g.m, g.k);
}

std::string matrix_call(const Gemm& g, const Mode& mode) {
  const std::string& ldb = g.transpose_b ? g.k : g.n;
  const std::string& lda = g.transpose_a ? g.m : g.k;
  if (mode.lt)
    return fmt::format("lt_gemm({}, {}, {}, {}, {}, {}, y.data(), {});", matrix_arguments(g), g.b,
                       ldb, g.a, lda, g.beta, g.n);
  return fmt::format(
      "check(cublasGemmEx(handle, {}, &one, {}, {}, {}, {}, {}, {}, {}, y.data(), CUDA_R_32F, {}, "
      "{}, CUBLAS_GEMM_DEFAULT));",
      matrix_arguments(g), g.b, mode.type, ldb, g.a, mode.type, lda, g.beta, g.n, mode.compute);
}

/// Which calls a product takes: as_gemv of subjects/gpu for one row or column.
Lines calls(const Gemm& g, const Mode& mode, const Uses& uses, std::size_t m, std::size_t n) {
  const bool vectors = !mode.lt && *mode.operand == 0;
  bool row = false, column = false, matrix = false;
  for (const auto& sizes : uses) {
    const bool one_row = vectors && sizes[m] == 1;
    const bool one_column = vectors && !one_row && sizes[n] == 1;
    row |= one_row;
    column |= one_column;
    matrix |= !one_row && !one_column;
  }
  Lines lines;
  const auto branch = [&](bool there, const std::string& condition, const std::string& call,
                          bool last) {
    if (!there) return;
    const bool first = lines.empty();
    if (last && first) {
      lines.push_back(call);
      return;
    }
    lines.push_back((first ? "" : "else ") + (last ? std::string() : "if (" + condition + ")"));
    lines.push_back("  " + call);
  };
  branch(row, g.m + " == 1", vector_call(g, true), !column && !matrix);
  branch(column, g.n + " == 1", vector_call(g, false), !matrix);
  branch(matrix, "", matrix_call(g, mode), true);
  for (std::string& line : lines)
    if (line == "else ") line = "else";
  return lines;
}

Lines batched(const KernelId& id, const Mode& mode) {
  const char* ldb = id.transpose_b ? "k" : "n";
  const char* lda = id.transpose_a ? "m" : "k";
  return {"// As many entries at once as read the same entry of a repeated operand.",
          "const int run = a_repeat > 1 && b_repeat > 1 && a_repeat != b_repeat ? 1",
          "                : a_repeat > 1 ? a_repeat : b_repeat > 1 ? b_repeat : entries;",
          "for (int e = 0; e < entries; e += run)",
          fmt::format("  check(cublasGemmStridedBatchedEx(handle, {}, {}, n, m, k, &one, "
                      "b.data() + e / b_repeat * b_stride, {}, {}, b_repeat > 1 ? 0 : b_stride, "
                      "a.data() + e / a_repeat * a_stride, {}, {}, a_repeat > 1 ? 0 : a_stride, "
                      "&zero, y.data() + e * m * n, CUDA_R_32F, n, m * n, "
                      "run < entries - e ? run : entries - e, {}, CUBLAS_GEMM_DEFAULT));",
                      operation(id.transpose_b), operation(id.transpose_a), mode.type, ldb,
                      mode.type, lda, mode.compute)};
}

std::string narrow(const Mode& mode) {
  return fmt::format(R"(using Operands = std::vector<{0}, Managed<{0}>>;
Operands operands(const Values& v) {{ return Operands(v.begin(), v.end()); }})",
                     mode.operand);
}

std::string lt_helper(const Mode& mode) {
  return fmt::format(R"(// The heuristic's first algorithm.
void lt_gemm(cublasOperation_t op_a, cublasOperation_t op_b, int m, int n, int k, const float* a,
             int lda, const float* b, int ldb, const float* beta, float* y, int ldy) {{
  cublasLtMatmulDesc_t what;
  check(cublasLtMatmulDescCreate(&what, {}, CUDA_R_32F));
  check(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a));
  check(cublasLtMatmulDescSetAttribute(what, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b));
  const bool ta = op_a == CUBLAS_OP_T, tb = op_b == CUBLAS_OP_T;
  cublasLtMatrixLayout_t la, lb, ly;
  check(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, ta ? k : m, ta ? m : k, lda));
  check(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, tb ? n : k, tb ? k : n, ldb));
  check(cublasLtMatrixLayoutCreate(&ly, CUDA_R_32F, m, n, ldy));
  cublasLtMatmulPreference_t any;
  check(cublasLtMatmulPreferenceCreate(&any));
  cublasLtMatmulHeuristicResult_t best;
  int found = 0;
  check(cublasLtMatmulAlgoGetHeuristic(lt, what, la, lb, ly, ly, any, 1, &best, &found));
  check(cublasLtMatmul(lt, what, &one, a, la, b, lb, beta, y, ly, y, ly, &best.algo, nullptr, 0, 0));
}})",
                     mode.compute);
}

/// The arrays in the operands' type, where that is not float.
void narrow_operands(Kernel& kernel, const Mode& mode) {
  if (*mode.operand == 0) return;
  const bool linear = kernel.arrays.front() == "x";
  kernel.helpers.push_back(narrow(mode));
  kernel.headers.push_back(mode.type == std::string("CUDA_R_16F") ? "<cuda_fp16.h>"
                                                                  : "<cuda_bf16.h>");
  kernel.call.insert(kernel.call.begin(),
                     linear ? "const Operands xs = operands(x), ws = operands(w);"
                            : "const Operands as = operands(a), bs = operands(b);");
  for (std::string& line : kernel.call) {
    for (const auto& [from, to] : {std::pair{"x.data()", "xs.data()"},
                                   {"w.data()", "ws.data()"},
                                   {"a.data()", "as.data()"},
                                   {"b.data()", "bs.data()"}}) {
      for (std::size_t at = line.find(from); at != std::string::npos;
           at = line.find(from, at + 9)) {
        if (at > 0 && std::isalpha(static_cast<unsigned char>(line[at - 1])) != 0) continue;
        line.replace(at, std::string(from).size(), to);
      }
    }
  }
}

}  // namespace

Dialect cublas_dialect(const std::string& subject) {
  const Mode mode = mode_of(subject);
  Dialect d;
  if (mode.lt)
    d.remarks = {
        "The case was found with one of the algorithms that the heuristic lists; another "
        "one than its first may have to be put in."};
  d.globals = {"const float one = 1, zero = 0;"};
  if (mode.lt) {
    d.globals.push_back("cublasLtHandle_t lt = [] {");
    d.globals.push_back("  cublasLtHandle_t made;");
    d.globals.push_back("  check(cudaFree(nullptr));  // is there a device?");
    d.globals.push_back("  check(cublasLtCreate(&made));");
  } else {
    d.globals.push_back("cublasHandle_t handle = [] {");
    d.globals.push_back("  cublasHandle_t made;");
    d.globals.push_back("  check(cudaFree(nullptr));  // is there a device?");
    d.globals.push_back("  check(cublasCreate(&made));");
    d.globals.push_back(fmt::format("  check(cublasSetMathMode(made, {}));", mode.math));
  }
  d.globals.push_back("  return made;");
  d.globals.push_back("}();");
  d.adapt = [mode](Kernel& kernel, const KernelId& id, const Uses& uses) {
    if (id.spread) return;
    if (id.op == Op::linear) {
      const Gemm g{false, true,       "rows",     "n",
                   "k",   "x.data()", "w.data()", id.bias ? "&one" : "&zero"};
      kernel.call = calls(g, mode, uses, 0, 2);
      if (id.bias)
        kernel.call.insert(
            kernel.call.begin(),
            "for (int r = 0; r < rows; ++r) std::copy_n(bias.data(), n, y.data() + r * n);");
    } else if (id.op == Op::matmul) {
      const Gemm g{id.transpose_a, id.transpose_b, "m", "n", "k", "a.data()", "b.data()", "&zero"};
      if (id.each && mode.lt) return;
      kernel.call = id.each ? batched(id, mode) : calls(g, mode, uses, 0, 2);
    } else if (id.op == Op::outer_sum) {
      const Gemm g{true, false, "n", "k", "rows", "a.data()", "b.data()", "&zero"};
      kernel.call = calls(g, mode, uses, 1, 2);
    }
    if (kernel.call.empty()) return;
    kernel.call.push_back("finish();");
    kernel.headers = {mode.lt ? "<cublasLt.h>" : "<cublas_v2.h>"};
    if (id.bias) kernel.headers.push_back("<algorithm>");
    kernel.libraries = {mode.lt ? "-lcublasLt" : "-lcublas"};
    if (mode.lt) kernel.helpers = {lt_helper(mode)};
    narrow_operands(kernel, mode);
  };
  return d;
}

}  // namespace ulpfuzz::repro
