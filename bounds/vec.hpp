#pragma once

#include <cstddef>
#include <cstring>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::bounds {

/// Eight doubles, one instruction or several, whatever the machine has.
inline constexpr std::size_t lanes = 8;
using V8 = double __attribute__((vector_size(64)));
using I8 = long long __attribute__((vector_size(64)));

/// Arrays that are read in blocks keep this many readable doubles beyond their end.
inline constexpr std::size_t slack = 2 * lanes;

ULPFUZZ_INLINE void load(V8& v, const double* p) { std::memcpy(&v, p, sizeof v); }
ULPFUZZ_INLINE void store(double* p, const V8& v) { std::memcpy(p, &v, sizeof v); }
/// Stores the first n lanes.
ULPFUZZ_INLINE void store(double* p, const V8& v, std::size_t n) {
  if (n >= lanes) {
    store(p, v);
  } else {
    for (std::size_t l = 0; l < n; ++l) p[l] = v[l];
  }
}

ULPFUZZ_INLINE V8 splat(double x) { return V8{} + x; }
ULPFUZZ_INLINE V8 select(const I8& mask, const V8& yes, const V8& no) {
  return (V8)((mask & (I8)yes) | (~mask & (I8)no));
}
ULPFUZZ_INLINE V8 abs(const V8& x) { return (V8)((I8)x & 0x7fffffffffffffffLL); }
ULPFUZZ_INLINE V8 min(const V8& a, const V8& b) { return select(a < b, a, b); }
ULPFUZZ_INLINE V8 max(const V8& a, const V8& b) { return select(a > b, a, b); }

ULPFUZZ_INLINE bool any(const I8& mask) {
  long long bits = 0;
  for (std::size_t l = 0; l < lanes; ++l) bits |= mask[l];
  return bits != 0;
}

/// Ones in the first n lanes, else zeros. Conditions are kept as numbers and combined by adding:
/// masks in integer vectors compile to scalar code, but for one comparison that selects.
ULPFUZZ_INLINE V8 first_ones(std::size_t n) {
  static constexpr double ones[2 * lanes] = {1, 1, 1, 1, 1, 1, 1, 1};
  V8 v;
  load(v, ones + lanes - (n < lanes ? n : lanes));
  return v;
}
/// `counted` where x is not below the limit or NaN, else 0.
ULPFUZZ_INLINE V8 not_below(const V8& x, double limit, const V8& counted) {
  return x < limit ? V8{} : counted;
}
/// The larger, where `counted` is not 0; NaN does not count.
ULPFUZZ_INLINE V8 raise(const V8& top, const V8& x, const V8& counted) {
  const V8 seen = x * counted;  // NaN where x is infinite and not counted
  return seen > top ? seen : top;
}
ULPFUZZ_INLINE bool any(const V8& counts) {
  double sum = 0;
  for (std::size_t l = 0; l < lanes; ++l) sum += counts[l];
  return sum != 0;
}

/// Calls f(at, live) for blocks of eight of `count` elements; live is what is left of them.
template <class F>
ULPFUZZ_INLINE void blocks(std::size_t count, const F& f) {
  for (std::size_t i = 0; i < count; i += lanes) f(i, count - i);
}

/// All bits set in the first n lanes.
ULPFUZZ_INLINE I8 first_lanes(std::size_t n) {
  const I8 index = {0, 1, 2, 3, 4, 5, 6, 7};
  return index < static_cast<long long>(n);
}

}  // namespace ulpfuzz::bounds
