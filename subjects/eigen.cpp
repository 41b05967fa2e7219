// One thread, whatever the caller's compiler flags ask for.
#define EIGEN_DONT_PARALLELIZE
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>

#include "activation_blocks.hpp"
#include "factories.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz {
namespace {

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Matrix>;
using Result = Eigen::Map<Matrix>;
using Vector = Eigen::Map<const Eigen::RowVectorXf>;
using Values = Eigen::Map<const Eigen::ArrayXf>;
using NewValues = Eigen::Map<Eigen::ArrayXf>;

Index size(std::size_t n) { return static_cast<Index>(n); }

/// Below, Eigen's packet exp stays at e^-88 instead of going to 0: no rounding error, so such
/// arguments go to libm.
constexpr float least_exponent = -87.0f;

/// Eigen's own vectorised functions (packets of the baseline instruction set, SSE2).
struct EigenMath {
  template <kernels::Function F>
  static void apply(const float* from, std::size_t count, float* to) {
    using kernels::Function;
    const Values x(from, size(count));
    NewValues y(to, size(count));
    if constexpr (F == Function::exp) {
      if ((x < least_exponent).any())
        std::transform(from, from + count, to, [](float v) { return std::exp(v); });
      else
        y = x.exp();
    }
    if constexpr (F == Function::expm1) y = x.expm1();
    if constexpr (F == Function::log1p) y = x.log1p();
    if constexpr (F == Function::tanh) y = x.tanh();
    if constexpr (F == Function::erf) y = x.erf();
  }
};

void logistic(const float* x, std::size_t count, float* y) {
  NewValues(y, size(count)) = Values(x, size(count)).logistic();
  for (std::size_t i = 0; i < count; ++i)
    if (x[i] < least_exponent) y[i] = std::exp(x[i]);
}

class EigenSubject final : public KernelSubject {
 public:
  std::string_view name() const override { return "eigen"; }
  std::string description() const override {
    return "Eigen matrix products and array functions, row-major maps, no allocation of results";
  }
  /// Largest errors over all floats: tanh 6.9 ulp near 5.8, erf 7.9 ulp near 3.3 (Eigen 3.4).
  Arithmetic arithmetic() const override {
    Arithmetic claim;
    claim.elementary.tanh = 7.5;
    claim.elementary.erf = 8.5;
    return claim;
  }
  std::string environment() const override {
    return fmt::format("Eigen {}.{}.{}; {}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
                       EIGEN_MINOR_VERSION, Eigen::SimdInstructionSetsInUse());
  }

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    Result out(y, size(rows), size(n));
    out.noalias() = Rows(x, size(rows), size(k)) * Rows(weight, size(n), size(k)).transpose();
    if (bias != nullptr) out.rowwise() += Vector(bias, size(n));
  }

  void matmul(const MatmulCall& c, const float* a, const float* b, float* y) const override {
    const bool one_product =
        c.b_stride == 0 && c.a_stride != 0 && c.a_repeat == 1 && (!c.transpose_a || c.m == 1);
    const std::size_t entries = one_product ? 1 : c.entries;
    const std::size_t m = one_product ? c.m * c.entries : c.m;
    const bool transpose_a = !one_product && c.transpose_a;
    for (std::size_t e = 0; e < entries; ++e, y += m * c.n)
      product(transpose_a, c.transpose_b, m, c.k, c.n, a + e / c.a_repeat * c.a_stride,
              b + e / c.b_repeat * c.b_stride, y);
  }

  void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
                 float* y) const override {
    product(true, false, n, rows, k, a, b, y);
  }

  void sum(const float* x, std::size_t rows, std::size_t n, float* y) const override {
    Result(y, 1, size(n)) = Rows(x, size(rows), size(n)).colwise().sum();
  }

  void activation(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    if (phi == Op::sigmoid) return logistic(x, count, y);
    activate_blocks<EigenMath>(phi, alpha, x, count, y);
  }
  void derivative(Op phi, float alpha, const float* x, std::size_t count, float* y) const override {
    differentiate_blocks<EigenMath>(phi, alpha, x, count, y);
  }

  void softmax(const float* x, std::size_t rows, std::size_t n, float* y) const override {
    if (n == 0) return;
    for (std::size_t r = 0; r < rows; ++r) {
      const Values from(x + r * n, size(n));
      NewValues to(y + r * n, size(n));
      to = from - from.maxCoeff<Eigen::PropagateNaN>();
      EigenMath::apply<kernels::Function::exp>(y + r * n, n, y + r * n);
      to /= to.sum();
    }
  }

  void layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                  float* y) const override {
    for (std::size_t r = 0; r < rows && n > 0; ++r) {
      const Values from(x + r * n, size(n));
      NewValues to(y + r * n, size(n));
      to = from - from.mean();
      to *= 1.0f / std::sqrt(to.square().mean() + epsilon);
    }
  }

  void rms_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                float* y) const override {
    for (std::size_t r = 0; r < rows && n > 0; ++r) {
      const Values from(x + r * n, size(n));
      NewValues(y + r * n, size(n)) = from * (1.0f / std::sqrt(from.square().mean() + epsilon));
    }
  }

 private:
  static void product(bool transpose_a, bool transpose_b, std::size_t m, std::size_t k,
                      std::size_t n, const float* a, const float* b, float* y) {
    Result out(y, size(m), size(n));
    const Rows left(a, size(transpose_a ? k : m), size(transpose_a ? m : k));
    const Rows right(b, size(transpose_b ? n : k), size(transpose_b ? k : n));
    if (transpose_a && transpose_b)
      out.noalias() = left.transpose() * right.transpose();
    else if (transpose_a)
      out.noalias() = left.transpose() * right;
    else if (transpose_b)
      out.noalias() = left * right.transpose();
    else
      out.noalias() = left * right;
  }
};

}  // namespace

std::unique_ptr<const Subject> make_eigen() { return std::make_unique<EigenSubject>(); }

}  // namespace ulpfuzz
