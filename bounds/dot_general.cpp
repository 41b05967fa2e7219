#include <algorithm>
#include <cmath>

#include "conversion.hpp"
#include "dot.hpp"
#include "dot_coefficients.hpp"
#include "dot_rows.hpp"
#include "general_coefficients.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {
namespace {

ULPFUZZ_INLINE V8 binade(const V8& x) { return (V8)((I8)x & 0x7ff0000000000000LL); }

// What conversions add to a term: half widths count with the other factor's magnitude, and with
// its own error among subnormals, which is `floor` times v.
struct Conversion {
  Converter convert;
  double v = 0, floor = 0, spread = 0;

  explicit Conversion(const Model& m) : convert(m), v(m.conversion) {
    if (v == 0) return;
    floor = m.conversion_eta / v;
    spread = conversion_spread(m);
  }
  double of_left(double half, double error) const { return (1 + v) * half + v * error; }
};

struct Left {
  RowShape shape;
  double floor = 0;  // conversion errors against the other factor's absolute error
};

template <bool left_errors>
ULPFUZZ_INLINE Left gather(const DotCall& c, std::size_t r, const Model& m, const Conversion& q,
                           DotScratch& s) {
  Left row;
  RowShape& shape = row.shape;
  // Of truncated pieces, what is left out has the sign of the product.
  const double split = m.rounding == Rounding::toward_zero ? 0 : m.split;
  for (std::size_t i = 0; i < c.k; ++i) {
    const std::size_t at = r * c.a_row + i * c.a_step;
    const double a = c.a[at];
    const double e = left_errors ? c.a_error[at] : 0;
    if (a == 0 && e == 0) continue;
    const std::size_t t = shape.terms++;
    const double size = std::fabs(a);
    s.index[t] = i;
    s.a[t] = s.converted[t] = a;
    s.magnitude[t] = size;
    s.error[t] = e;
    shape.powers = shape.powers && e == 0 && !m.narrow && power_of_two(a);
    const double product = m.exact_products ? 0 : m.u;
    double spread = a * a * (product * product + split * split);
    if (q.v > 0) {
      const Converted x = converted(a, e, q.convert);
      s.converted[t] = x.value;
      s.conversion[t] = q.of_left(x.half, e);
      row.floor += s.conversion[t] * q.floor;
      const double own = x.half > 0 ? q.spread * conversion_error(size, m) : 0;
      spread += own * own;
    }
    s.square[t] = spread + (left_errors ? c.together * c.a_variance[at] : 0);
    shape.largest = std::max(shape.largest, size + e);
    shape.total += c.column_max ? (size + e) * c.column_max[i] : 0;
  }
  return row;
}

struct Sums {
  V8 y{}, converted{}, apart{}, sum{}, radius{}, variance{}, conversion{};
};

// One term of a block of columns: factor a with its radius, converted, and what is known of w.
template <bool left_errors, bool right_errors>
ULPFUZZ_INLINE void add_term(const DotCall& c, const Model& m, const Conversion& q,
                             const DotScratch& s, std::size_t t, std::size_t j, Sums& to) {
  const std::size_t at = s.index[t] * c.b_row + j;
  const double a = s.a[t], magnitude = s.magnitude[t], square = s.square[t];
  const double error = left_errors ? s.error[t] : 0;
  V8 w;
  load(w, c.b + at);
  const V8 size = abs(w);
  to.y += a * w;
  to.sum += magnitude * size;
  to.variance += square * (w * w);
  if constexpr (left_errors) to.radius += error * size;
  V8 e{};
  if constexpr (right_errors) {
    V8 v;
    load(e, c.b_error + at);
    load(v, c.b_variance + at);
    to.radius += (magnitude + error) * e;
    to.variance += c.together * (a * a + square) * v;
  }
  if (q.v == 0) return;
  V8 known;
  load(known, c.b_converted + at);
  to.converted += s.converted[t] * known;
  if (c.apart) to.apart += abs(s.converted[t] * known - a * w);
  if constexpr (left_errors) to.conversion += s.conversion[t] * (size + e);
  if constexpr (right_errors) {
    V8 half;
    load(half, c.b_conversion + at);
    to.conversion += ((1 + q.v) * half + q.v * e) * (magnitude + error + q.floor);
    const V8 most = max(q.v * binade(size), splat(m.conversion_eta));
    const V8 own = (q.spread * a) * min(most, 2.0 * half);
    to.variance += own * own;
  }
}

struct Row {
  std::size_t r = 0;
  RowShape shape;
  GeneralCoefficients k;
  Stagnation lost;
  double constant = 0;
  double reference = 0;  // error of fp64 sums of so many terms
};

// Sums and their magnitudes after conversion, and what their rounding comes to.
struct Rounded {
  V8 reach, side, binade, radius;
};

ULPFUZZ_INLINE void round_sums(const Sums& x, const Row& row, const Model& m, Rounded& to) {
  const GeneralCoefficients& k = row.k;
  const V8 reach = x.sum + x.radius;
  const V8 side = min(reach, 0.5 * (x.sum + abs(x.y)) + x.radius);
  to.reach = reach * (1 + m.growth);
  to.side = min(to.reach, side + m.growth * reach);
  to.binade = binade(k.scale * (to.side + k.partial * to.reach));
  to.radius = min(k.of_sum * to.reach + k.of_binade * to.binade, k.cap * to.reach);
}

// A unit's cuts have a mean of at most half their bound, which least_lambda deviations are to cover
// besides what they deviate by.
ULPFUZZ_INLINE void add_variance(const DotCall& c, const Model& m, const DotScratch& s,
                                 const Row& row, std::size_t j, const Rounded& sums, V8& variance) {
  const GeneralCoefficients& k = row.k;
  V8 lost{};
  if (row.lost.count) {
    const double quantum =
        k.unit_binade > 0 ? std::max(std::ldexp(1.0, -m.unit.fraction), 2 * m.u) : m.u;
    stagnation_deviation(c, s, row.shape.terms, row.lost.threshold, j, quantum * sums.side, lost);
  }
  if (k.unit_binade > 0) {
    const V8 deviation =
        (0.5 / least_lambda * k.unit_binade) * sums.binade + std::sqrt(k.spread) * sums.side + lost;
    variance += deviation * deviation;
  } else {
    variance += min(k.spread * sums.side, k.spread_sum * sums.reach) * sums.side + lost * lost;
  }
  variance += k.spread_partial * min(k.parts * sums.side, sums.reach) * sums.side;
}

ULPFUZZ_INLINE void finish(const DotCall& c, const Model& m, const DotScratch& s, const Row& row,
                           std::size_t j, Sums& x, Extremes& extremes) {
  const V8 change = m.conversion > 0 ? max(abs(x.converted - x.y), x.apart) : V8{};
  if (c.bias) {
    V8 bias;
    load(bias, c.bias + j);
    x.y += bias;
    x.sum += abs(bias);
  }
  Rounded sums;
  round_sums(x, row, m, sums);
  const V8 reach = x.sum + x.radius;
  const V8 local =
      change + x.conversion + (m.split + row.reference) * reach + sums.radius + row.constant;
  const V8 biased = m.rounding == Rounding::toward_zero ? 0.25 * m.split * reach : V8{};
  x.variance += change * change + biased * biased + row.constant * row.constant;
  add_variance(c, m, s, row, j, sums, x.variance);
  const std::size_t at = row.r * c.n + j;
  const std::size_t live = c.n - j;
  store(c.value + at, x.y, live);
  store(c.error + at, (x.radius + local) * inflation, live);
  store(c.variance + at, x.variance, live);
  store(c.local + at, local, live);
  const V8 valid = first_ones(live);
  extremes.top = raise(extremes.top, sums.reach, valid);
  extremes.bad += not_below(sums.reach + local, m.dot_omega, valid);
}

template <bool left_errors, bool right_errors>
ULPFUZZ_INLINE bool rows_body(const DotCall& c, const Model& m, DotScratch& s) {
  const Conversion q(m);
  const double bias_max = largest_bias(c);
  const double share = 64 * std::max(m.u, m.unit.block ? std::ldexp(1.0, -m.unit.fraction) : 0);
  Extremes extremes;
  for (std::size_t r = 0; r < c.rows; ++r) {
    const Left left = gather<left_errors>(c, r, m, q, s);
    const RowShape& shape = left.shape;
    Row row{r, shape, {}, stagnating(c, shape, share, s, bias_max), 0, 0};
    row.k = general_coefficients(m, {c.k, shape.terms, c.bias != nullptr,
                                     shape.powers && !right_errors, shape.largest + c.b_max});
    row.constant = row.k.constant + left.floor;
    if (shape.terms > 1) row.reference = static_cast<double>(shape.terms) * 0x1p-51;
    extremes.top = V8{};
    for (std::size_t j = 0; j < c.n; j += lanes) {
      Sums x;
      for (std::size_t t = 0; t < shape.terms; ++t)
        add_term<left_errors, right_errors>(c, m, q, s, t, j, x);
      finish(c, m, s, row, j, x, extremes);
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

bool general_rows(const DotCall& call, const Model& m, DotScratch& s) {
  s.reserve(call.rows, call.k);
  if (call.b_error) return call.a_error ? rows_both(call, m, s) : rows_right(call, m, s);
  return call.a_error ? rows_left(call, m, s) : rows_exact(call, m, s);
}

}  // namespace ulpfuzz::bounds
