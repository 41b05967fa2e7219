#include <algorithm>
#include <cmath>

#include "dot.hpp"
#include "dot_coefficients.hpp"
#include "vec.hpp"

namespace ulpfuzz::bounds {
namespace {

// At least sqrt(x^2 + y^2), and at most 12 % more.
ULPFUZZ_INLINE V8 hypotenuse(const V8& x, const V8& y) { return max(x, y) + 0.5 * min(x, y); }

ULPFUZZ_CLONES bool outer_body(const DotCall& c, const Model& m, DotScratch& s) {
  V8 bad{};
  for (std::size_t r = 0; r < c.rows; ++r) {
    const double a = c.a[r * c.a_row];
    const double magnitude = std::fabs(a);
    const double error = c.a_error ? c.a_error[r * c.a_row] : 0;
    const double deviation = c.a_error ? std::sqrt(c.a_variance[r * c.a_row]) : 0;
    const bool zero = a == 0 && error == 0;
    const DotCoefficients k =
        coefficients(m, zero ? 0 : 1, 0, error == 0 && !m.narrow && power_of_two(a),
                     magnitude + error + c.b_max);
    const double spread = k.of_sum;
    V8 top{};
    for (std::size_t j = 0; j < c.n; j += lanes) {
      V8 b, radius{}, sigma;
      load(b, c.b + j);
      const V8 size = abs(b);
      const V8 sum = magnitude * size;
      sigma = spread * sum + k.constant;
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
      const V8 valid = first_ones(live);
      top = raise(top, reach, valid);
      bad += not_below(reach + local, m.omega, valid);
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
  V8 bad{};
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
    store(c.variance + j, c.together * variance + spread * (side * side), live);
    store(c.local + j, local, live);
    const V8 valid = first_ones(live);
    top = raise(top, reach, valid);
    bad += not_below(reach + local, m.omega, valid);
  }
  for (std::size_t l = 0; l < lanes; ++l) largest_sum = std::max(largest_sum, top[l]);
  return !any(bad);
}

}  // namespace

DotCoefficients dot_coefficients(const Model& m, std::size_t products, std::size_t additions,
                                 bool exact_products, double largest) {
  return coefficients(m, products, additions, exact_products, largest);
}

DotCoefficients sum_coefficients(const Model& m, std::size_t terms) {
  DotCoefficients c;
  if (terms == 0) return c;
  const double a = static_cast<double>(terms - 1) + (m.narrow ? 1 : 0);
  set_any_order(c, a, a, m.u);
  c.constant = (a + 1) * m.sum_eta;
  return c;
}

bool outer_rows(const DotCall& call, const Model& m, DotScratch& s) {
  if (m.general) {
    const bool safe = general_rows(call, m, s);
    for (std::size_t i = 0; i < call.rows * call.n; ++i)
      call.variance[i] = std::sqrt(call.variance[i]);
    return safe;
  }
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
