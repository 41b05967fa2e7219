#pragma once

#include <cmath>
#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/row_launches.hpp"
#include "ulpfuzz/kernels/row_sums.hpp"

/// Norms of rows; formulas as in norm.hpp.
namespace ulpfuzz::kernels {

/// A row's norm is (x - mean) scale; of RMS norm the mean is +0, which changes no x.
template <class Floats>
struct Moments {
  Floats mean, scale;
};

/// scale = 1 / sqrt(variance + epsilon)
ULPFUZZ_HOST_DEVICE inline float norm_scale(float variance, float epsilon) {
  using std::sqrt;
  return 1.0f / sqrt(variance + epsilon);
}

struct TwoPassMoments {
  ULPFUZZ_ANY_CALLER
  template <class Row>
  ULPFUZZ_HOST_DEVICE static auto of(Row& row, const float* x, float epsilon, float count) {
    Moments<typename Row::Floats> m;
    const auto sum = row_sum(row, [&](unsigned, std::size_t i) { return x[i]; });
    m.mean = row.uniform([&](unsigned t) { return sum[t] / count; });
    const auto squares = row_sum(row, [&](unsigned t, std::size_t i) {
      const float deviation = x[i] - m.mean[t];
      return deviation * deviation;
    });
    m.scale = row.uniform([&](unsigned t) { return norm_scale(squares[t] / count, epsilon); });
    return m;
  }
};

struct OnePassMoments {
  ULPFUZZ_ANY_CALLER
  template <class Row>
  ULPFUZZ_HOST_DEVICE static auto of(Row& row, const float* x, float epsilon, float count) {
    Moments<typename Row::Floats> m;
    const auto sum = row_sum(row, [&](unsigned, std::size_t i) { return x[i]; });
    const auto squares = row_sum(row, [&](unsigned, std::size_t i) { return x[i] * x[i]; });
    m.mean = row.uniform([&](unsigned t) { return sum[t] / count; });
    m.scale = row.uniform([&](unsigned t) {
      const float variance = squares[t] / count - m.mean[t] * m.mean[t];
      return norm_scale(variance < 0 ? 0.0f : variance, epsilon);
    });
    return m;
  }
};

struct RmsMoments {
  ULPFUZZ_ANY_CALLER
  template <class Row>
  ULPFUZZ_HOST_DEVICE static auto of(Row& row, const float* x, float epsilon, float count) {
    Moments<typename Row::Floats> m;
    const auto squares = row_sum(row, [&](unsigned, std::size_t i) { return x[i] * x[i]; });
    m.mean = row.uniform([](unsigned) { return 0.0f; });
    m.scale = row.uniform([&](unsigned t) { return norm_scale(squares[t] / count, epsilon); });
    return m;
  }
};

template <unsigned Lanes, class Kind>
struct NormProgram : RowTeam<Lanes> {
  Norm norm;
  explicit NormProgram(const Norm& launch) : norm(launch) {}

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const float* const x = norm.x;
    float* const y = norm.y;
    RowPhases<Lanes, Block> row(block, norm.rows, norm.n);
    const auto m = Kind::of(row, x, norm.epsilon, static_cast<float>(norm.n));
    row.each_element([&](unsigned t, std::size_t i) { y[i] = (x[i] - m.mean[t]) * m.scale[t]; });
  }
};

}  // namespace ulpfuzz::kernels
