#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/host_row_phases.hpp"
#include "ulpfuzz/kernels/row_phases.hpp"

/// Sums and maxima of rows in the order that row_launches.hpp states.
namespace ulpfuzz::kernels {

/// Of term(t, i), t the thread that has element i.
ULPFUZZ_ANY_CALLER
template <class Row, class Term>
ULPFUZZ_HOST_DEVICE inline typename Row::Floats row_sum(Row& row, const Term& term) {
  typename Row::Floats r[1];
  row.fold(
      r, {0.0f}, [&](float(&own)[1], unsigned t, std::size_t i) { own[0] = own[0] + term(t, i); },
      [](float(&own)[1], const float(&other)[1]) { own[0] = own[0] + other[0]; });
  return r[0];
}

ULPFUZZ_HOST_DEVICE inline float greater(float a, float b) { return b > a ? b : a; }

ULPFUZZ_ANY_CALLER
template <class Row>
ULPFUZZ_HOST_DEVICE inline typename Row::Floats row_maximum(Row& row, const float* x) {
  typename Row::Floats r[1];
  row.fold(
      r, {minus_infinity},
      [x](float(&own)[1], unsigned, std::size_t i) { own[0] = greater(own[0], x[i]); },
      [](float(&own)[1], const float(&other)[1]) { own[0] = greater(own[0], other[0]); });
  return r[0];
}

}  // namespace ulpfuzz::kernels
