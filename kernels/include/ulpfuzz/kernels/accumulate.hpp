#pragma once

#include <cmath>
#include <cstddef>

#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/loops.hpp"

/// The innermost loop of a matrix product: sums of a thread, eight columns wide.
namespace ulpfuzz::kernels {

inline constexpr unsigned sums_across = 8;

/// sum + a b, with one rounding or two.
template <bool Fused>
ULPFUZZ_HOST_DEVICE ULPFUZZ_INLINE float multiply_add(float a, float b, float sum) {
  using std::fma;
  if constexpr (Fused) return fma(a, b, sum);
  return sum + a * b;
}

/// sums[r][c] += a[d a_step + r] b[d b_step + c], d < terms, first to last.
template <bool Fused, unsigned Rows>
ULPFUZZ_HOST_DEVICE ULPFUZZ_INLINE void accumulate(const float* a, unsigned a_step, const float* b,
                                                   unsigned b_step, unsigned terms,
                                                   float (*sums)[sums_across]) {
  float own[Rows][sums_across];
  ULPFUZZ_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    ULPFUZZ_ALONG
    for (unsigned c = 0; c < sums_across; ++c) own[r][c] = sums[r][c];
  }
  for (unsigned d = 0; d < terms; ++d, a += a_step, b += b_step) {
    ULPFUZZ_UNROLL
    for (unsigned r = 0; r < Rows; ++r) {
      ULPFUZZ_ALONG
      for (unsigned c = 0; c < sums_across; ++c)
        own[r][c] = multiply_add<Fused>(a[r], b[c], own[r][c]);
    }
  }
  ULPFUZZ_UNROLL
  for (unsigned r = 0; r < Rows; ++r) {
    ULPFUZZ_ALONG
    for (unsigned c = 0; c < sums_across; ++c) sums[r][c] = own[r][c];
  }
}

namespace host {
/// The same, compiled for several machines: Rows 1, 4 and 8.
template <bool Fused, unsigned Rows>
void accumulate_here(const float* a, unsigned a_step, const float* b, unsigned b_step,
                     unsigned terms, float (*sums)[sums_across]);
}  // namespace host

/// `accumulate` of the side that calls it.
template <unsigned Rows>
ULPFUZZ_HOST_DEVICE inline void accumulate(bool fused, const float* a, unsigned a_step,
                                           const float* b, unsigned b_step, unsigned terms,
                                           float (*sums)[sums_across]) {
#if defined(__CUDA_ARCH__)
  if (fused)
    accumulate<true, Rows>(a, a_step, b, b_step, terms, sums);
  else
    accumulate<false, Rows>(a, a_step, b, b_step, terms, sums);
#else
  if (fused)
    host::accumulate_here<true, Rows>(a, a_step, b, b_step, terms, sums);
  else
    host::accumulate_here<false, Rows>(a, a_step, b, b_step, terms, sums);
#endif
}

}  // namespace ulpfuzz::kernels
