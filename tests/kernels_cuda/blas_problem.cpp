#include "blas_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::kernels::testing_support {
namespace {

// Where element (i, j) of a stored matrix is.
std::size_t at(const BlasGemm& call, std::size_t i, std::size_t j, std::size_t leading) {
  return call.row_major ? i * leading + j : i + j * leading;
}

std::vector<float> random_values(std::size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> values(count);
  for (float& v : values) v = normal(random);
  return values;
}

}  // namespace

BlasProblem::BlasProblem(const BlasShape& s, BlasGemm settings, std::mt19937& random)
    : call(settings) {
  call.m = s.m, call.n = s.n, call.k = s.k, call.entries = s.entries;
  const auto matrix = [&](std::size_t rows, std::size_t columns, std::size_t& leading,
                          std::size_t& stride) {
    leading = (call.row_major ? columns : rows) + s.slack;
    stride = leading * (call.row_major ? rows : columns) + s.slack;
    return random_values(stride * s.entries, random);
  };
  a = matrix(call.transpose_a ? s.k : s.m, call.transpose_a ? s.m : s.k, call.lda, call.a_stride);
  b = matrix(call.transpose_b ? s.n : s.k, call.transpose_b ? s.k : s.n, call.ldb, call.b_stride);
  c = matrix(s.m, s.n, call.ldc, call.c_stride);
  add_up();
}

void BlasProblem::add_up() {
  exact_.assign(c.size(), 0.0);
  size_ = exact_;
  for (std::size_t e = 0; e < call.entries; ++e)
    for (std::size_t i = 0; i < call.m; ++i)
      for (std::size_t j = 0; j < call.n; ++j) {
        const std::size_t in_c = e * call.c_stride + at(call, i, j, call.ldc);
        double sum = double{call.beta} * c[in_c], size = std::fabs(sum);
        for (std::size_t q = 0; q < call.k; ++q) {
          const std::size_t in_a =
              call.transpose_a ? at(call, q, i, call.lda) : at(call, i, q, call.lda);
          const std::size_t in_b =
              call.transpose_b ? at(call, j, q, call.ldb) : at(call, q, j, call.ldb);
          const double term = double{a[e * call.a_stride + in_a]} * b[e * call.b_stride + in_b];
          sum += term, size += std::fabs(term);
        }
        exact_[in_c] = sum;
        size_[in_c] = size;
      }
}

double BlasProblem::error(const std::vector<float>& result) const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (size_[i] == 0) {  // padding
      if (!same_bits(result[i], c[i])) return infinity;
      continue;
    }
    const double error = std::fabs(result[i] - exact_[i]) / size_[i] * 0x1p24;
    if (std::isnan(error)) return infinity;
    worst = std::max(worst, error);
  }
  return worst;
}

std::string BlasProblem::name() const {
  return fmt::format("mode {}, {}{}{}, {} x {} x {}, {} entries, beta {}, lda {}",
                     static_cast<int>(call.mode), call.transpose_a ? 'T' : 'N',
                     call.transpose_b ? 'T' : 'N', call.row_major ? " row-major" : "", call.m,
                     call.n, call.k, call.entries, call.beta, call.lda);
}

// (k + 3) roundings or, in a matmul unit, cuts of 2 u each; TF32 operands are off by at most 2^-10
// each if they are cut.
double error_bound(const BlasGemm& call) {
  const double sums = 2.0 * (static_cast<double>(call.k) + 3);
  return call.mode == MathMode::tf32 ? sums + 2.001 * 0x1p14 : sums;
}

}  // namespace ulpfuzz::kernels::testing_support
