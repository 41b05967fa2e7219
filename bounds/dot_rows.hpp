#pragma once

#include <algorithm>
#include <cmath>

#include "dot.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {

// What the kernels of dot.cpp and dot_general.cpp share.

struct RowShape {
  std::size_t terms = 0;
  bool powers = true;
  double largest = 0;
  double total = 0;  // at least the sum of the largest possible magnitudes of the terms
};

// Terms below 64 u M can lose all their bits, and with a common sign, which no mean-zero model
// covers. Adding a term errs by the term at most.
struct Stagnation {
  std::size_t count = 0;
  double threshold = 0;
};

// How many terms of the row are, in every column, below `share` of the sum of magnitudes.
ULPFUZZ_INLINE Stagnation stagnating(const DotCall& c, const RowShape& row, double share,
                                     const DotScratch& s, double bias_max) {
  Stagnation result;
  if (row.terms + (c.bias ? 1 : 0) < 3 || !c.column_max) return result;
  result.threshold = share * (row.total + bias_max);
  for (std::size_t t = 0; t < row.terms; ++t)
    result.count += s.magnitude[t] * c.column_max[s.index[t]] < result.threshold;
  return result;
}

// A quarter of what those terms can lose, at most a quantum each.
ULPFUZZ_INLINE void stagnation_deviation(const DotCall& c, const DotScratch& s, std::size_t terms,
                                         double threshold, std::size_t j, const V8& quantum,
                                         V8& deviation) {
  V8 lost{};
  for (std::size_t t = 0; t < terms; ++t) {
    const std::size_t i = s.index[t];
    if (!(s.magnitude[t] * c.column_max[i] < threshold)) continue;
    V8 w;
    load(w, c.b + i * c.b_row + j);
    lost += min(s.magnitude[t] * abs(w), quantum);
  }
  deviation = lost * 0.25;
}

struct Extremes {
  V8 top{};
  V8 bad{};
};

ULPFUZZ_INLINE double largest_bias(const DotCall& c) {
  double top = 0;
  for (std::size_t j = 0; c.bias && j < c.n; ++j) top = std::max(top, std::fabs(c.bias[j]));
  return top;
}

}  // namespace ulpfuzz::bounds
