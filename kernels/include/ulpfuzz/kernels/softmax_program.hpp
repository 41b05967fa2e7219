#pragma once

#include <cmath>
#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"
#include "ulpfuzz/kernels/row_launches.hpp"
#include "ulpfuzz/kernels/row_sums.hpp"

namespace ulpfuzz::kernels {

template <bool Fast>
ULPFUZZ_HOST_DEVICE inline float softmax_exp(float x) {
  using std::exp;
  return Fast ? fast_exp(x) : exp(x);
}

template <unsigned Lanes, bool Fast>
struct ShiftedSoftmax : RowTeam<Lanes> {
  Softmax softmax;
  explicit ShiftedSoftmax(const Softmax& launch) : softmax(launch) {}

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const float* const x = softmax.x;
    float* const y = softmax.y;
    RowPhases<Lanes, Block> row(block, softmax.rows, softmax.n);
    const auto top = row_maximum(row, x);
    const auto total = row_sum(row, [&](unsigned t, std::size_t i) {
      y[i] = softmax_exp<Fast>(x[i] - top[t]);
      return y[i];
    });
    row.each_element([&](unsigned t, std::size_t i) { y[i] = y[i] / total[t]; });
  }
};

/// A running maximum and the sum of e^(x - maximum), of terms above -infinity.
struct OnlineSum {
  float top, sum;
};

template <bool Fast>
ULPFUZZ_HOST_DEVICE inline OnlineSum online_add(OnlineSum so_far, float x) {
  const float top = so_far.top, sum = so_far.sum;
  // x - x makes the sum NaN at x = +infinity.
  if (x > top) return {x, sum * softmax_exp<Fast>(top - x) + (1.0f + (x - x))};
  if (x == minus_infinity) return so_far;
  return {top, sum + softmax_exp<Fast>(x - top)};
}

/// e^(from - to), to >= from, also where both are infinite.
template <bool Fast>
ULPFUZZ_HOST_DEVICE inline float online_rescale(float from, float to) {
  if (from == to) return 1;
  if (from == minus_infinity) return 0;
  return softmax_exp<Fast>(from - to);
}

template <bool Fast>
ULPFUZZ_HOST_DEVICE inline OnlineSum online_merge(OnlineSum a, OnlineSum b) {
  const float top = greater(a.top, b.top);
  return {top, a.sum * online_rescale<Fast>(a.top, top) + b.sum * online_rescale<Fast>(b.top, top)};
}

template <unsigned Lanes, bool Fast>
struct OnlineSoftmax : RowTeam<Lanes> {
  Softmax softmax;
  explicit OnlineSoftmax(const Softmax& launch) : softmax(launch) {}

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const float* const x = softmax.x;
    float* const y = softmax.y;
    RowPhases<Lanes, Block> row(block, softmax.rows, softmax.n);
    typename Block::template Registers<float> r[2];  // maxima and sums
    row.fold(
        r, {minus_infinity, 0.0f},
        [&](float(&own)[2], unsigned, std::size_t i) {
          const OnlineSum sum = online_add<Fast>({own[0], own[1]}, x[i]);
          own[0] = sum.top;
          own[1] = sum.sum;
        },
        [](float(&own)[2], const float(&other)[2]) {
          const OnlineSum both = online_merge<Fast>({own[0], own[1]}, {other[0], other[1]});
          own[0] = both.top;
          own[1] = both.sum;
        });
    row.each_element(
        [&](unsigned t, std::size_t i) { y[i] = softmax_exp<Fast>(x[i] - r[0][t]) / r[1][t]; });
  }
};

}  // namespace ulpfuzz::kernels
