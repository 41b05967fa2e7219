#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// A stated order of summation: runs of terms, each added from its beginning to its end, and their
/// sums added pairwise: halves, recursively, the left one the larger power of two.
struct SumOrder {
  enum class Kind : unsigned char {
    sequential,  ///< one run, first to last
    reversed,    ///< one run, last to first
    pairwise,    ///< runs of two
    lanes        ///< run r is of terms r, r + lanes, r + 2 lanes, ...
  };
  Kind kind = Kind::sequential;
  std::size_t lanes = 8;  ///< > 0

  /// Of n terms.
  ULPFUZZ_HOST_DEVICE std::size_t runs(std::size_t n) const {
    if (kind == Kind::pairwise) return (n + 1) / 2;
    if (kind == Kind::lanes) return lanes < n ? lanes : n;
    return n == 0 ? 0 : 1;
  }
  /// Terms in run r.
  ULPFUZZ_HOST_DEVICE std::size_t length(std::size_t r, std::size_t n) const {
    if (kind == Kind::pairwise) return 2 * r + 2 <= n ? 2 : 1;
    return kind == Kind::lanes ? (n - r + lanes - 1) / lanes : n;
  }
  ULPFUZZ_HOST_DEVICE std::size_t first(std::size_t r, std::size_t n) const {
    if (kind == Kind::pairwise) return 2 * r;
    return kind == Kind::reversed ? n - 1 : r;
  }
  /// To the next term of a run; added modulo 2^64.
  ULPFUZZ_HOST_DEVICE std::size_t step() const {
    if (kind == Kind::lanes) return lanes;
    return kind == Kind::reversed ? ~std::size_t{0} : 1;
  }
};

/// The sum of terms from .. to - 1, in order. `terms` says how terms are added:
///   T zero()          where an accumulator starts
///   T add(a, b)       a + b, rounded
///   T add_term(a, i)  a + term i, rounded once or twice as the arithmetic has it
/// T is a number, or several side by side. The first run starts at `start`, if there is one.
template <class Terms, class T>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline T sum_ordered(const Terms& terms, SumOrder order,
                                                                const T* start, std::size_t from,
                                                                std::size_t to) {
  const std::size_t n = to - from;
  const std::size_t runs = order.runs(n);
  const std::size_t step = order.step();
  T sum = start != nullptr ? *start : terms.zero();
  T half[64];  // finished halves, a binary counter of runs
  unsigned halves = 0;
  for (std::size_t r = 0; r < runs; ++r) {
    if (r > 0) sum = terms.zero();
    std::size_t i = from + order.first(r, n);
    for (std::size_t left = order.length(r, n); left > 0; --left, i += step)
      sum = terms.add_term(sum, i);
    if (r + 1 == runs) break;
    for (std::size_t m = r; m % 2 == 1; m /= 2) sum = terms.add(half[--halves], sum);
    half[halves++] = sum;
  }
  while (halves > 0) sum = terms.add(half[--halves], sum);
  return sum;
}

}  // namespace ulpfuzz::kernels
