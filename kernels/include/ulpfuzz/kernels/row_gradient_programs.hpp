#pragma once

#include <cstddef>
#include <type_traits>

#include "ulpfuzz/kernels/norm_programs.hpp"

/// Jacobians of rows times vectors; formulas as in norm.hpp.
namespace ulpfuzz::kernels {

template <unsigned Lanes>
struct SoftmaxGradient : RowTeam<Lanes> {
  RowGradient gradient;
  explicit SoftmaxGradient(const RowGradient& launch) : gradient(launch) {}

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const float* const v = gradient.v;
    const float* const s = gradient.x;
    float* const y = gradient.y;
    RowPhases<Lanes, Block> row(block, gradient.rows, gradient.n);
    const auto projection = row_sum(row, [&](unsigned, std::size_t i) { return v[i] * s[i]; });
    row.each_element([&](unsigned t, std::size_t i) { y[i] = s[i] * (v[i] - projection[t]); });
  }
};

template <unsigned Lanes, class Kind>
struct NormGradient : RowTeam<Lanes> {
  RowGradient gradient;
  explicit NormGradient(const RowGradient& launch) : gradient(launch) {}

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const float* const v = gradient.v;
    const float* const x = gradient.x;
    float* const y = gradient.y;
    const float count = static_cast<float>(gradient.n);
    RowPhases<Lanes, Block> row(block, gradient.rows, gradient.n);
    const auto m = Kind::of(row, x, gradient.epsilon, count);
    const auto normed = [&](unsigned t, std::size_t i) { return (x[i] - m.mean[t]) * m.scale[t]; };
    const auto mean = mean_of_v(row, v, count);
    const auto sum = row_sum(row, [&](unsigned t, std::size_t i) { return v[i] * normed(t, i); });
    const auto along = row.uniform([&](unsigned t) { return sum[t] / count; });
    row.each_element([&](unsigned t, std::size_t i) {
      y[i] = m.scale[t] * (v[i] - mean[t] - normed(t, i) * along[t]);
    });
  }

 private:
  /// +0 for RMS norm: v - (+0) is v.
  ULPFUZZ_ANY_CALLER
  template <class Row>
  ULPFUZZ_HOST_DEVICE static auto mean_of_v(Row& row, const float* v, float count) {
    if constexpr (std::is_same_v<Kind, RmsMoments>) {
      return row.uniform([](unsigned) { return 0.0f; });
    } else {
      const auto sum = row_sum(row, [&](unsigned, std::size_t i) { return v[i]; });
      return row.uniform([&](unsigned t) { return sum[t] / count; });
    }
  }
};

}  // namespace ulpfuzz::kernels
