#pragma once

#include <cstddef>
#include <cstring>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::bounds::four {

/// Four lanes, which AVX2 has: comparisons of wider vectors compile to scalar code there.
inline constexpr std::size_t lanes = 4;
using V4 = double __attribute__((vector_size(32)));
using L4 = long long __attribute__((vector_size(32)));
using F4 = float __attribute__((vector_size(16)));
using I4 = int __attribute__((vector_size(16)));

ULPFUZZ_INLINE V4 splat(double x) { return V4{} + x; }
ULPFUZZ_INLINE V4 abs(const V4& x) { return (V4)((L4)x & 0x7fffffffffffffffLL); }
ULPFUZZ_INLINE V4 min(const V4& a, const V4& b) { return a < b ? a : b; }
ULPFUZZ_INLINE V4 max(const V4& a, const V4& b) { return a > b ? a : b; }
ULPFUZZ_INLINE void load(V4& v, const double* p) { std::memcpy(&v, p, sizeof v); }

/// From `lanes - n` on: n ones in the first lanes, then zeros.
inline constexpr double ones_then_zeros[2 * lanes] = {1, 1, 1, 1};

/// Reads no further than `end`.
ULPFUZZ_INLINE void load(F4& v, const float* p, const float* end) {
  if (p + lanes <= end) {
    std::memcpy(&v, p, sizeof v);
  } else {
    v = F4{};
    for (std::size_t l = 0; p + l < end; ++l) v[l] = p[l];
  }
}

}  // namespace ulpfuzz::bounds::four
