#include "dot.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "vec.hpp"

namespace ulpfuzz::bounds {
namespace {

// Subset-sum bound: each node of a summation tree is the exact sum of some of the rounded terms
// plus earlier errors, so of magnitude at most M' + T, M' = (1 + u) M; T <= n u (M' + T) over n
// additions.
void set_any_order(DotCoefficients& c, double additions, double roundings, double u) {
  const double nu = additions * u;
  const double du = roundings * u;
  c.cap = du <= 0.5 ? du * (1 + du) : du;
  if (nu < 0.25) {
    c.of_side = nu * (1 + u) / (1 - nu);
  } else {
    c.of_sum = c.cap;
  }
}

// Terms below 64 u M can lose all their bits, and with a common sign, which no mean-zero model
// covers. Adding a term errs by the term at most.
struct Stagnation {
  std::size_t count = 0;
  double threshold = 0;
};

// A product with one rounds nowhere, not even among subnormals.
ULPFUZZ_INLINE bool power_of_two(double x) {
  return (std::bit_cast<std::uint64_t>(x) & 0xfffffffffffffULL) == 0 && std::fabs(x) >= 1;
}

struct RowShape {
  std::size_t terms = 0;
  bool powers = true;
  double largest = 0;
  double total = 0;  // at least the sum of the largest possible magnitudes of the terms
};

// Gathers what is not zero in row r of the left operand: adding zeros never rounds.
template <bool left_errors>
ULPFUZZ_INLINE RowShape gather(const DotCall& c, std::size_t r, const Model& m, DotScratch& s) {
  RowShape shape;
  const double spread = m.u * m.u + m.conversion * m.conversion;
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
    s.square[t] = a * a * spread + (left_errors ? c.a_variance[at] : 0);
    shape.powers = shape.powers && e == 0 && power_of_two(a);
    shape.largest = std::max(shape.largest, std::fabs(a) + e);
    shape.total += c.column_max ? (std::fabs(a) + e) * c.column_max[i] : 0;
  }
  return shape;
}

// How many terms of the row are that small in every column.
ULPFUZZ_INLINE Stagnation stagnating(const DotCall& c, const RowShape& row, const Model& m,
                                     const DotScratch& s, double bias_max) {
  Stagnation result;
  if (row.terms + (c.bias ? 1 : 0) < 3 || !c.column_max) return result;
  result.threshold = 64 * m.u * (row.total + bias_max);
  for (std::size_t t = 0; t < row.terms; ++t)
    result.count += s.magnitude[t] * c.column_max[s.index[t]] < result.threshold;
  return result;
}

template <bool left_errors, bool right_errors>
ULPFUZZ_INLINE void accumulate(const DotCall& c, const DotScratch& s, std::size_t terms,
                               std::size_t j, V8& y, V8& sum, V8& radius, V8& variance) {
  for (std::size_t t = 0; t < terms; ++t) {
    const std::size_t at = s.index[t] * c.b_row + j;
    V8 w;
    load(w, c.b + at);
    const V8 magnitude = abs(w);
    y += s.a[t] * w;
    sum += s.magnitude[t] * magnitude;
    variance += s.square[t] * (w * w);
    if constexpr (left_errors) radius += s.error[t] * magnitude;
    if constexpr (right_errors) {
      V8 e, v;
      load(e, c.b_error + at);
      load(v, c.b_variance + at);
      const double reach = s.magnitude[t] + (left_errors ? s.error[t] : 0);
      radius += reach * e;
      // (a^2 + var a) var b; square holds a^2 spread + var a.
      variance += (s.a[t] * s.a[t] + s.square[t]) * v;
    }
  }
}

ULPFUZZ_INLINE void stagnation_variance(const DotCall& c, const DotScratch& s, std::size_t terms,
                                        double threshold, std::size_t j, const V8& quantum,
                                        V8& variance) {
  V8 lost{};
  for (std::size_t t = 0; t < terms; ++t) {
    const std::size_t i = s.index[t];
    if (!(s.magnitude[t] * c.column_max[i] < threshold)) continue;
    V8 w;
    load(w, c.b + i * c.b_row + j);
    lost += min(s.magnitude[t] * abs(w), quantum);
  }
  lost *= 0.25;
  variance += lost * lost;
}

template <bool left_errors, bool right_errors>
ULPFUZZ_INLINE bool rows_body(const DotCall& c, const Model& m, DotScratch& s) {
  const std::size_t has_bias = c.bias ? 1 : 0;
  double bias_max = 0;
  for (std::size_t j = 0; has_bias && j < c.n; ++j)
    bias_max = std::max(bias_max, std::fabs(c.bias[j]));
  I8 bad{};
  for (std::size_t r = 0; r < c.rows; ++r) {
    const RowShape row = gather<left_errors>(c, r, m, s);
    const std::size_t terms = row.terms + has_bias;
    const std::size_t additions = terms > 0 ? terms - 1 : 0;
    const DotCoefficients k = dot_coefficients(m, row.terms, additions, row.powers && !right_errors,
                                               row.largest + c.b_max);
    const Stagnation lost = stagnating(c, row, m, s, bias_max);
    const double spread = static_cast<double>(additions) * m.u * m.u;
    V8 top{};
    for (std::size_t j = 0; j < c.n; j += lanes) {
      V8 y{}, sum{}, radius{}, variance{};
      accumulate<left_errors, right_errors>(c, s, row.terms, j, y, sum, radius, variance);
      if (c.bias) {
        V8 bias;
        load(bias, c.bias + j);
        y += bias;
        sum += abs(bias);
      }
      const V8 reach = sum + radius;
      const V8 side = min(reach, 0.5 * (sum + abs(y)) + radius);
      const V8 local = min(k.of_sum * reach + k.of_side * side, k.cap * reach) + k.constant;
      variance += spread * (side * side);
      if (lost.count) {
        const V8 quantum = m.u * side;
        stagnation_variance(c, s, row.terms, lost.threshold, j, quantum, variance);
      }
      const std::size_t at = r * c.n + j;
      const std::size_t live = c.n - j;
      store(c.value + at, y, live);
      store(c.error + at, (radius + local) * inflation, live);
      store(c.variance + at, variance, live);
      store(c.local + at, local, live);
      const I8 valid = first_lanes(live);
      top = select(valid & (reach > top), reach, top);
      bad |= valid & ~(reach + local < m.omega);
    }
    double largest = 0;
    for (std::size_t l = 0; l < lanes; ++l) largest = std::max(largest, top[l]);
    s.row_sum[r] = largest;
  }
  return !any(bad);
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

// At least sqrt(x^2 + y^2), and at most 12 % more.
ULPFUZZ_INLINE V8 hypotenuse(const V8& x, const V8& y) { return max(x, y) + 0.5 * min(x, y); }

ULPFUZZ_CLONES bool outer_body(const DotCall& c, const Model& m, DotScratch& s) {
  I8 bad{};
  for (std::size_t r = 0; r < c.rows; ++r) {
    const double a = c.a[r * c.a_row];
    const double magnitude = std::fabs(a);
    const double error = c.a_error ? c.a_error[r * c.a_row] : 0;
    const double deviation = c.a_error ? std::sqrt(c.a_variance[r * c.a_row]) : 0;
    const bool zero = a == 0 && error == 0;
    const DotCoefficients k = dot_coefficients(m, zero ? 0 : 1, 0, error == 0 && power_of_two(a),
                                               magnitude + error + c.b_max);
    const double spread = k.of_sum;
    V8 top{};
    for (std::size_t j = 0; j < c.n; j += lanes) {
      V8 b, radius{}, sigma;
      load(b, c.b + j);
      const V8 size = abs(b);
      const V8 sum = magnitude * size;
      sigma = spread * sum;
      radius = error * size;
      if (error > 0) sigma = hypotenuse(sigma, deviation * size);
      if (c.b_error) {
        V8 e, d;
        load(e, c.b_error + j);
        load(d, s.square.data() + j);
        radius += (magnitude + error) * e;
        sigma = hypotenuse(sigma, (magnitude + deviation) * d);
      }
      const V8 reach = sum + radius;
      const V8 local = k.of_sum * reach + k.constant;
      const std::size_t at = r * c.n + j;
      const std::size_t live = c.n - j;
      store(c.value + at, a * b, live);
      store(c.error + at, (radius + local) * inflation, live);
      store(c.variance + at, sigma, live);
      store(c.local + at, local, live);
      const I8 valid = first_lanes(live);
      top = select(valid & (reach > top), reach, top);
      bad |= valid & ~(reach + local < m.omega);
    }
    double largest = 0;
    for (std::size_t l = 0; l < lanes; ++l) largest = std::max(largest, top[l]);
    s.row_sum[r] = largest;
  }
  return !any(bad);
}

ULPFUZZ_CLONES bool columns_body(const ColumnSumCall& c, const Model& m, const DotCoefficients& k,
                                 double& largest_sum) {
  const double spread = c.terms > 1 ? static_cast<double>(c.terms - 1) * m.u * m.u : 0;
  I8 bad{};
  V8 top{};
  for (std::size_t j = 0; j < c.n; j += lanes) {
    V8 y{}, sum{}, radius{}, variance{};
    for (std::size_t t = 0; t < c.terms; ++t) {
      V8 x, e, v;
      load(x, c.x + t * c.stride + j);
      y += x;
      sum += abs(x);
      if (!c.x_error) continue;
      load(e, c.x_error + t * c.stride + j);
      load(v, c.x_variance + t * c.stride + j);
      radius += e;
      variance += v;
    }
    const V8 reach = sum + radius;
    const V8 side = min(reach, 0.5 * (sum + abs(y)) + radius);
    const V8 local = min(k.of_sum * reach + k.of_side * side, k.cap * reach) + k.constant;
    const std::size_t live = c.n - j;
    store(c.value + j, y, live);
    store(c.error + j, (radius + local) * inflation, live);
    store(c.variance + j, variance + spread * (side * side), live);
    store(c.local + j, local, live);
    const I8 valid = first_lanes(live);
    top = select(valid & (reach > top), reach, top);
    bad |= valid & ~(reach + local < m.omega);
  }
  for (std::size_t l = 0; l < lanes; ++l) largest_sum = std::max(largest_sum, top[l]);
  return !any(bad);
}

}  // namespace

DotCoefficients dot_coefficients(const Model& m, std::size_t products, std::size_t additions,
                                 bool exact_products, double largest) {
  DotCoefficients c;
  if (products == 0 && additions == 0) return c;
  const double n = static_cast<double>(products);
  const double a = static_cast<double>(additions);
  const double product = exact_products ? 0 : m.u;
  set_any_order(c, a, a + (exact_products ? 0 : 1), m.u);
  if (c.of_sum == 0) c.of_sum = product;
  // Conversions change the terms before anything is rounded, by a relative v each.
  const double v = m.conversion;
  const double converted = exact_products ? v : v * (2 + v);
  c.of_sum += converted * (1 + c.of_sum + c.of_side);
  c.cap += converted * (1 + c.cap);
  c.constant = exact_products ? 0 : n * m.eta;
  const double tiny = m.conversion_eta + m.daz;
  if (tiny > 0) c.constant += n * tiny * (largest + tiny) + (n + a) * m.daz;
  return c;
}

DotCoefficients sum_coefficients(const Model& m, std::size_t terms) {
  DotCoefficients c;
  if (terms == 0) return c;
  const double a = static_cast<double>(terms - 1);
  set_any_order(c, a, a, m.u);
  c.constant = (a + 1) * 2 * m.daz;
  return c;
}

bool dot_rows(const DotCall& call, const Model& m, DotScratch& s) {
  if (s.index.size() < call.k) {
    s.index.resize(call.k);
    for (auto* a : {&s.a, &s.magnitude, &s.error, &s.square}) a->resize(call.k + slack);
  }
  if (s.row_sum.size() < call.rows) s.row_sum.resize(call.rows);
  if (call.b_error) return call.a_error ? rows_both(call, m, s) : rows_right(call, m, s);
  return call.a_error ? rows_left(call, m, s) : rows_exact(call, m, s);
}

bool outer_rows(const DotCall& call, const Model& m, DotScratch& s) {
  if (s.row_sum.size() < call.rows) s.row_sum.resize(call.rows);
  if (call.b_error) {
    if (s.square.size() < call.n + slack) s.square.resize(call.n + slack);
    for (std::size_t j = 0; j < call.n; ++j) s.square[j] = std::sqrt(call.b_variance[j]);
  }
  return outer_body(call, m, s);
}

bool column_sums(const ColumnSumCall& call, const Model& m, double& largest_sum) {
  return columns_body(call, m, sum_coefficients(m, call.terms), largest_sum);
}

}  // namespace ulpfuzz::bounds
