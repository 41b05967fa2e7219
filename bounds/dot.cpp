#include "dot.hpp"

#include <algorithm>
#include <cmath>

#include "dot_coefficients.hpp"
#include "dot_rows.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {
namespace {

// Gathers what is not zero in row r of the left operand: adding zeros never rounds.
template <bool left_errors>
ULPFUZZ_INLINE RowShape gather(const DotCall& c, std::size_t r, const Model& m, DotScratch& s) {
  RowShape shape;
  const double spread = m.u * m.u;
  for (std::size_t i = 0; i < c.k; ++i) {
    const std::size_t at = r * c.a_row + i * c.a_step;
    const double a = c.a[at];
    const double e = left_errors ? c.a_error[at] : 0;
    if (a == 0 && e == 0) continue;
    const std::size_t t = shape.terms++;
    s.index[t] = i;
    s.a[t] = a;
    s.magnitude[t] = std::fabs(a);
    if (left_errors) s.error[t] = e;
    s.square[t] = a * a * spread + (left_errors ? c.together * c.a_variance[at] : 0);
    shape.powers = shape.powers && e == 0 && !m.narrow && power_of_two(a);
    shape.largest = std::max(shape.largest, std::fabs(a) + e);
    shape.total += c.column_max ? (std::fabs(a) + e) * c.column_max[i] : 0;
  }
  return shape;
}

struct Sums {
  V8 y{}, sum{}, radius{}, variance{};
};

template <bool left_errors, bool right_errors, std::size_t width>
ULPFUZZ_INLINE void accumulate(const DotCall& c, const DotScratch& s, std::size_t terms,
                               std::size_t j, Sums* to) {
  for (std::size_t t = 0; t < terms; ++t) {
    const std::size_t at = s.index[t] * c.b_row + j;
    const double a = s.a[t], magnitude = s.magnitude[t], square = s.square[t];
    const double error = left_errors ? s.error[t] : 0;
    for (std::size_t b = 0; b < width; ++b) {
      V8 w;
      load(w, c.b + at + b * lanes);
      const V8 size = abs(w);
      to[b].y += a * w;
      to[b].sum += magnitude * size;
      to[b].variance += square * (w * w);
      if constexpr (left_errors) to[b].radius += error * size;
      if constexpr (right_errors) {
        V8 e, v;
        load(e, c.b_error + at + b * lanes);
        load(v, c.b_variance + at + b * lanes);
        to[b].radius += (magnitude + error) * e;
        // (a^2 + var a) var b; square holds a^2 spread + var a.
        to[b].variance += c.together * (a * a + square) * v;
      }
    }
  }
}

struct Row {
  std::size_t r = 0, terms = 0;
  DotCoefficients k;
  Stagnation lost;
  double spread = 0;
};

// The largest partial sum for the probabilistic tier. Where operands' sound radii have outgrown the
// sum itself, as in deep networks, their deviations bound it better: each error is within lambda
// deviations in the model, and sum |w_i e_i| <= lambda sqrt(n sum w_i^2 var_i).
ULPFUZZ_INLINE void likely_side(const V8& magnitude, const V8& radius, const V8& variance,
                                double terms, V8& side) {
  constexpr double lambda = 6.5447;
  const V8 outgrown = radius > magnitude ? radius : V8{};
  if (!any(outgrown)) return;
  V8 reach = terms * variance;
  for (std::size_t l = 0; l < lanes; ++l) reach[l] = std::sqrt(reach[l]);
  side = min(side - radius + lambda * reach, side);  // of NaN, the second
}

ULPFUZZ_INLINE void finish(const DotCall& c, const Model& m, const DotScratch& s, const Row& row,
                           std::size_t j, Sums& x, Extremes& extremes) {
  if (c.bias) {
    V8 bias;
    load(bias, c.bias + j);
    x.y += bias;
    x.sum += abs(bias);
  }
  const DotCoefficients& k = row.k;
  const V8 reach = x.sum + x.radius;
  const V8 side = min(reach, 0.5 * (x.sum + abs(x.y)) + x.radius);
  const V8 local = min(k.of_sum * reach + k.of_side * side, k.cap * reach) + k.constant;
  V8 likely = side;
  likely_side(x.sum, x.radius, x.variance, static_cast<double>(row.terms), likely);
  x.variance += row.spread * (likely * likely) + k.constant * k.constant;
  if (row.lost.count) {
    V8 deviation;
    stagnation_deviation(c, s, row.terms, row.lost.threshold, j, m.u * likely, deviation);
    x.variance += deviation * deviation;
  }
  const std::size_t at = row.r * c.n + j;
  const std::size_t live = c.n - j;
  store(c.value + at, x.y, live);
  store(c.error + at, (x.radius + local) * inflation, live);
  store(c.variance + at, x.variance, live);
  store(c.local + at, local, live);
  const V8 valid = first_ones(live);
  extremes.top = raise(extremes.top, reach, valid);
  extremes.bad += not_below(reach + local, m.omega, valid);
}

template <bool left_errors, bool right_errors>
ULPFUZZ_INLINE bool rows_body(const DotCall& c, const Model& m, DotScratch& s) {
  const std::size_t has_bias = c.bias ? 1 : 0;
  const double bias_max = largest_bias(c);
  Extremes extremes;
  for (std::size_t r = 0; r < c.rows; ++r) {
    const RowShape shape = gather<left_errors>(c, r, m, s);
    const std::size_t terms = shape.terms + has_bias;
    const std::size_t additions = terms > 0 ? terms - 1 + (m.narrow ? 1 : 0) : 0;
    const Row row{r, shape.terms,
                  coefficients(m, shape.terms, additions, shape.powers && !right_errors,
                               shape.largest + c.b_max),
                  stagnating(c, shape, 64 * m.u, s, bias_max),
                  static_cast<double>(additions) * m.u * m.u};
    extremes.top = V8{};
    std::size_t j = 0;
    for (; j + lanes < c.n; j += 2 * lanes) {
      Sums x[2];
      accumulate<left_errors, right_errors, 2>(c, s, row.terms, j, x);
      finish(c, m, s, row, j, x[0], extremes);
      finish(c, m, s, row, j + lanes, x[1], extremes);
    }
    if (j < c.n) {
      Sums x[1];
      accumulate<left_errors, right_errors, 1>(c, s, row.terms, j, x);
      finish(c, m, s, row, j, x[0], extremes);
    }
    double largest = 0;
    for (std::size_t l = 0; l < lanes; ++l) largest = std::max(largest, extremes.top[l]);
    s.row_sum[r] = largest;
  }
  return !any(extremes.bad);
}

ULPFUZZ_CLONES bool rows_exact(const DotCall& c, const Model& m, DotScratch& s) {
  return rows_body<false, false>(c, m, s);
}
ULPFUZZ_CLONES bool rows_left(const DotCall& c, const Model& m, DotScratch& s) {
  return rows_body<true, false>(c, m, s);
}
ULPFUZZ_CLONES bool rows_right(const DotCall& c, const Model& m, DotScratch& s) {
  return rows_body<false, true>(c, m, s);
}
ULPFUZZ_CLONES bool rows_both(const DotCall& c, const Model& m, DotScratch& s) {
  return rows_body<true, true>(c, m, s);
}

}  // namespace

bool dot_rows(const DotCall& call, const Model& m, DotScratch& s) {
  if (m.general) return general_rows(call, m, s);
  s.reserve(call.rows, call.k);
  if (call.b_error) return call.a_error ? rows_both(call, m, s) : rows_right(call, m, s);
  return call.a_error ? rows_left(call, m, s) : rows_exact(call, m, s);
}

}  // namespace ulpfuzz::bounds
