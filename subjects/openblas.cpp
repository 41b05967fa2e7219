#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "activation_blocks.hpp"
#include "factories.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"
#include "vector_math.hpp"

namespace ulpfuzz {
namespace {

blasint size(std::size_t n) { return static_cast<blasint>(n); }

/// Leading dimensions of at least 1, as BLAS demands also of empty matrices.
blasint ld(std::size_t n) { return static_cast<blasint>(std::max<std::size_t>(1, n)); }

/// One product y = op(a) op(b) + beta y as frameworks hand it to BLAS: matrix times vector where a
/// side is one row or column, matrix times matrix else. BLAS itself is not trusted with empty
/// operands: gemv with k = 0 leaves y as it is, whatever beta.
struct Gemm {
  bool transpose_a, transpose_b;
  std::size_t m, n, k;
  const float* a;
  const float* b;
  float beta;
  float* y;

  void run() const {
    if (m == 0 || n == 0) return;
    if (k == 0) {
      if (beta == 0.0f) std::fill_n(y, m * n, 0.0f);
      return;
    }
    if (m == 1)
      row();
    else if (n == 1)
      column();
    else
      cblas_sgemm(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
                  transpose_b ? CblasTrans : CblasNoTrans, size(m), size(n), size(k), 1.0f, a,
                  ld(transpose_a ? m : k), b, ld(transpose_b ? k : n), beta, y, ld(n));
  }

 private:
  // y[1,n] = a[1,k] op(b): y^T = op(b)^T a^T
  void row() const {
    if (transpose_b)
      cblas_sgemv(CblasRowMajor, CblasNoTrans, size(n), size(k), 1.0f, b, ld(k), a, 1, beta, y, 1);
    else
      cblas_sgemv(CblasRowMajor, CblasTrans, size(k), size(n), 1.0f, b, ld(n), a, 1, beta, y, 1);
  }
  // y[m,1] = op(a) b[k,1]
  void column() const {
    if (transpose_a)
      cblas_sgemv(CblasRowMajor, CblasTrans, size(k), size(m), 1.0f, a, ld(m), b, 1, beta, y, 1);
    else
      cblas_sgemv(CblasRowMajor, CblasNoTrans, size(m), size(k), 1.0f, a, ld(k), b, 1, beta, y, 1);
  }
};

class OpenBlas final : public KernelSubject {
 public:
  std::string_view name() const override { return "openblas"; }
  std::string description() const override {
    return "OpenBLAS sgemm, and sgemv where a slice has one row; bias as beta y; libmvec functions";
  }
  /// Largest error of libmvec's expf over all floats: 2.64 ulp near -17 (glibc 2.36).
  Arithmetic arithmetic() const override {
    Arithmetic claim;
    claim.elementary.exp = 3.0;
    return claim;
  }
  std::string environment() const override {
    const char* forced = std::getenv("OPENBLAS_CORETYPE");
    return fmt::format("{}; kernels {}; OPENBLAS_CORETYPE {}; {}", openblas_get_config(),
                       openblas_get_corename(), forced == nullptr ? "unset" : forced,
                       vector_math_available() ? "libmvec AVX2" : "scalar libm");
  }

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (bias != nullptr)
      for (std::size_t r = 0; r < rows; ++r) std::copy_n(bias, n, y + r * n);
    Gemm{false, true, rows, n, k, x, weight, bias == nullptr ? 0.0f : 1.0f, y}.run();
  }

  void matmul(const MatmulCall& call, const float* a, const float* b, float* y) const override {
    const bool one_product = call.b_stride == 0 && call.a_stride != 0 && call.a_repeat == 1 &&
                             (!call.transpose_a || call.m == 1);
    const std::size_t entries = one_product ? 1 : call.entries;
    const std::size_t m = one_product ? call.m * call.entries : call.m;
    const bool transpose_a = !one_product && call.transpose_a;
    for (std::size_t e = 0; e < entries; ++e, y += m * call.n)
      Gemm{transpose_a,
           call.transpose_b,
           m,
           call.n,
           call.k,
           a + e / call.a_repeat * call.a_stride,
           b + e / call.b_repeat * call.b_stride,
           0.0f,
           y}
          .run();
  }

  void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
                 float* y) const override {
    Gemm{true, false, n, k, rows, a, b, 0.0f, y}.run();
  }

  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    activate_blocks<VectorMath>(phi, alpha, x, count, y);
  }
  void derivative(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    differentiate_blocks<VectorMath>(phi, alpha, x, count, y);
  }
};

}  // namespace

std::unique_ptr<const Subject> make_openblas() { return std::make_unique<OpenBlas>(); }

}  // namespace ulpfuzz
