#include <algorithm>

#include "rows.hpp"

namespace ulpfuzz::bounds {

void softmax_grad_row(const RowView& v, const RowView& s, const double* v_deviation,
                      const double* s_deviation, double* value, double* error, double* variance,
                      const Model& m);

namespace {

// Mean, variance and 1/sqrt(variance + epsilon) of a row, exact, and their radii in any of the
// usual evaluations: two passes, or mean x^2 - mean^2 in one.
struct Moments {
  double mean = 0, mean_radius = 0;
  double inverse = 0, inverse_radius = 0;
  bool usable = false;
};

struct Sums {
  double mean = 0, magnitude = 0, radius = 0, square = 0, variance = 0, moved = 0, largest = 0;
};

Sums sums_of(const RowView& x, bool centred) {
  Sums s;
  const double n = static_cast<double>(x.n);
  for (std::size_t i = 0; i < x.n; ++i) {
    const double reach = std::fabs(x.value[i]) + x.radius[i];
    s.mean += x.value[i] / n;
    s.magnitude += reach / n;
    s.radius += x.radius[i] / n;
    s.square += reach * reach / n;
    s.largest = std::max(s.largest, reach);
  }
  if (!centred) s.mean = 0;
  for (std::size_t i = 0; i < x.n; ++i) {
    const double d = x.value[i] - s.mean;
    s.variance += d * d / n;
    // var(x + e) - var(x) = 2 mean((x - mean) e) + var(e)
    s.moved += (2 * std::fabs(d) + x.radius[i]) * x.radius[i] / n;
  }
  return s;
}

double variance_rounding(const Sums& s, double mean_rounding, double mean_radius, std::size_t n,
                         const Roundings& r, bool centred) {
  const double one_pass = r.of_sum(n, 4) * s.square;
  if (!centred) return one_pass;
  const double mean = std::fabs(s.mean) + mean_radius;
  const double spread = s.variance + s.moved + mean_rounding * mean_rounding;
  const double difference = 2 * std::fabs(s.mean) * mean_rounding +
                            mean_rounding * (mean_rounding + 2 * s.radius) + 3 * r.u * mean * mean +
                            2 * r.u * spread;
  const double two_pass = mean_rounding * mean_rounding +
                          r.of_sum(n, 8) * (spread + 2 * mean_rounding * std::sqrt(spread));
  return std::max(one_pass + difference, two_pass);
}

Moments moments_of(const RowView& x, double epsilon, bool centred, const Model& m,
                   const Roundings& r) {
  Moments result;
  const Sums s = sums_of(x, centred);
  const double mean_rounding = centred ? r.of_sum(x.n, 3) * s.magnitude + 2 * m.eta : 0;
  result.mean = s.mean;
  result.mean_radius = centred ? s.radius + mean_rounding : 0;
  const double w = s.variance + epsilon;
  const double radius = s.moved +
                        variance_rounding(s, mean_rounding, result.mean_radius, x.n, r, centred) +
                        4 * m.eta;
  const double w_radius = radius + r.u * (w + radius);
  const bool overflows = !(static_cast<double>(x.n) * s.largest * s.largest < m.omega / 4);
  // More than half of the variance may be error: ill-conditioned.
  if (!(w_radius < w / 2) || overflows) return result;
  result.inverse = 1 / std::sqrt(w);
  const double relative = w_radius / w;
  const double propagated = relative / (1 - relative + std::sqrt(1 - relative));
  const double elementary = r.u * std::max(2 * m.kappa.rsqrt + 1, 4.0) * (1 + propagated);
  result.inverse_radius = result.inverse * (propagated + elementary) + m.eta;
  result.usable = true;
  return result;
}

// (x - mean) r, or x r - mean r as fused scale and shift.
void normalised(const RowView& x, const Moments& k, const Model& m, double* value, double* radius) {
  const double r = k.inverse + k.inverse_radius;
  const double mean = std::fabs(k.mean) + k.mean_radius;
  for (std::size_t i = 0; i < x.n; ++i) {
    const double d = x.value[i] - k.mean;
    const double d_radius = x.radius[i] + k.mean_radius;
    const double size = std::fabs(x.value[i]) + x.radius[i] + mean;
    if (value) value[i] = d * k.inverse;
    radius[i] =
        std::fabs(d) * k.inverse_radius + d_radius * r + 3 * m.u * (1 + m.u) * size * r + 3 * m.eta;
  }
}

// Jacobian times v: r (v - mean(v) - y mean(v y)), or sums of r v, x and constants. `size` of y is
// that of x r and mean r, which some forms subtract.
void gradient(const RowView& v, const RowView& x, const Moments& k, bool centred, const Model& m,
              const Roundings& r, std::vector<double>& memory, double* value, double* radius) {
  const std::size_t n = v.n;
  memory.resize(std::max(memory.size(), 4 * n));
  double* y = memory.data() + 2 * n;
  double* y_radius = y + n;
  normalised(x, k, m, y, y_radius);
  const double inverse = k.inverse + k.inverse_radius;
  const auto size = [&](std::size_t i) {
    return (std::fabs(x.value[i]) + x.radius[i] + std::fabs(k.mean) + k.mean_radius) * inverse +
           y_radius[i];
  };
  const double count = static_cast<double>(n);
  double mean = 0, mean_radius = 0, reach = 0, dot = 0, dot_radius = 0, dot_reach = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double top = std::fabs(v.value[i]) + v.radius[i];
    mean += v.value[i] / count;
    mean_radius += v.radius[i] / count;
    reach += top / count;
    dot += v.value[i] * y[i] / count;
    dot_radius += (std::fabs(v.value[i]) * y_radius[i] + std::fabs(y[i]) * v.radius[i] +
                   v.radius[i] * y_radius[i]) /
                  count;
    dot_reach += top * size(i) / count;
  }
  if (!centred) mean = mean_radius = reach = 0;
  mean_radius += r.of_sum(n, 3) * reach;
  dot_radius += r.of_sum(n, 8) * dot_reach + m.eta * (2 + 2 * reach);
  for (std::size_t i = 0; i < n; ++i) {
    const double q = v.value[i] - mean - y[i] * dot;
    const double terms =
        std::fabs(v.value[i]) + v.radius[i] + reach + size(i) * (std::fabs(dot) + dot_radius);
    const double q_radius = v.radius[i] + mean_radius + std::fabs(y[i]) * dot_radius +
                            y_radius[i] * (std::fabs(dot) + dot_radius) +
                            8 * m.u * (1 + 8 * m.u) * (terms + dot_reach * size(i));
    if (value) value[i] = q * k.inverse;
    radius[i] = std::fabs(q) * k.inverse_radius + inverse * q_radius +
                4 * m.u * (std::fabs(q) + q_radius) * inverse + 4 * m.eta * (1 + inverse);
  }
}

double reach_of(const RowView& row) {
  double reach = 0;
  for (std::size_t i = 0; i < row.n; ++i)
    reach = std::max(reach, std::fabs(row.value[i]) + row.radius[i]);
  return reach;
}

/// Whether no form may overflow on the way to a gradient that is finite: sums of v, of v y and of
/// v x, whole or scaled, and y times them. `size`: the most that factors make of a sum of v.
bool stays_in_range(const RowView& v, double size, const Model& m) {
  return 4 * static_cast<double>(v.n) * reach_of(v) * std::max(size, 1.0) < m.omega;
}

void finish_row(Value& y, std::size_t at, std::size_t n, const Model& m) {
  double* error = y.error.data() + at;
  for (std::size_t i = 0; i < n; ++i) {
    error[i] *= inflation;
    y.variance[at + i] *= y.variance[at + i];
    y.local[at + i] = std::min(error[i], m.u * std::fabs(y.value[at + i]));
    if (std::fabs(y.value[at + i]) + error[i] >= m.omega / 4) error[i] = 1e301;
  }
  if (!usable(error, n)) mark_unknown(y, at, n);
}

}  // namespace

void norm_rule(const Node& node, const Value& x, Value& y, Context& c) {
  const std::size_t n = x.cols;
  const bool centred = node.op == Op::layer_norm;
  for (std::size_t row = 0; row < x.entries * x.rows && n > 0; ++row) {
    const std::size_t at = row * n;
    const auto bound = [&](const double* radius, bool conspire, double* value, double* to) {
      const RowView view{x.value.data() + at, radius, n};
      const Moments k = moments_of(view, node.alpha, centred, c.model, {c.model.u, conspire});
      if (k.usable) normalised(view, k, c.model, value, to);
      return k.usable;
    };
    bool good = all_finite(x, at, n) &&
                bound(x.error.data() + at, true, y.value.data() + at, y.error.data() + at);
    if (good) {
      deviations_of(x, at, n, c.scratch);
      good = bound(c.scratch.data(), false, nullptr, y.variance.data() + at);
    }
    if (good) {
      finish_row(y, at, n, c.model);
    } else {
      mark_unknown(y, at, n);
    }
  }
}

void row_gradient_rule(const Node& node, const Node& v_node, const Node& x_node, const Value& v,
                       const Value& x, Value& y, Context& c) {
  const EntryMap left = entry_map(v, v_node, node, c.repeat);
  const EntryMap right = entry_map(x, x_node, node, c.repeat);
  const std::size_t n = y.cols;
  const Model& m = c.model;
  const bool centred = node.op == Op::layer_norm_grad;
  c.scratch.resize(std::max(c.scratch.size(), 4 * n));
  std::vector<double>& x_deviation = c.dot.magnitude;
  std::vector<double>& v_deviation = c.dot.error;
  const auto one_row = [&](std::size_t iv, std::size_t ix, std::size_t at) {
    if (!all_finite(v, iv, n) || !all_finite(x, ix, n)) return false;
    deviations_of(v, iv, n, v_deviation);
    deviations_of(x, ix, n, x_deviation);
    const RowView vs{v.value.data() + iv, v.error.data() + iv, n};
    const RowView xs{x.value.data() + ix, x.error.data() + ix, n};
    double* value = y.value.data() + at;
    double* error = y.error.data() + at;
    double* variance = y.variance.data() + at;
    if (node.op == Op::softmax_grad) {
      if (!stays_in_range(vs, reach_of(xs), m)) return false;
      softmax_grad_row(vs, xs, v_deviation.data(), x_deviation.data(), value, error, variance, m);
      return true;
    }
    const RowView vd{vs.value, v_deviation.data(), n};
    const RowView xd{xs.value, x_deviation.data(), n};
    const Roundings sound{m.u, true}, typical{m.u, false};
    const Moments k = moments_of(xs, node.alpha, centred, m, sound);
    const Moments d = moments_of(xd, node.alpha, centred, m, typical);
    if (!k.usable || !d.usable) return false;
    const double far = reach_of(xs) + std::fabs(k.mean) + k.mean_radius;
    const double inverse = k.inverse + k.inverse_radius;
    const double normal = far * inverse;
    if (!stays_in_range(vs, std::max({far, inverse, normal * normal}), m)) return false;
    gradient(vs, xs, k, centred, m, sound, c.scratch, value, error);
    gradient(vd, xd, d, centred, m, typical, c.scratch, nullptr, variance);
    return true;
  };
  for (std::size_t e = 0; e < y.entries && n > 0; ++e)
    for (std::size_t r = 0; r < y.rows; ++r) {
      const std::size_t at = (e * y.rows + r) * n;
      if (one_row(left(e) * left.stride + r * n, right(e) * right.stride + r * n, at)) {
        finish_row(y, at, n, m);
      } else {
        mark_unknown(y, at, n);
      }
    }
}

}  // namespace ulpfuzz::bounds
