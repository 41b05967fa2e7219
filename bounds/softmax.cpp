#include <algorithm>
#include <bit>

#include "rows.hpp"

namespace ulpfuzz::bounds {
namespace {

// Logits beyond overflow without the shift by their maximum; there, only shifted forms are covered.
constexpr double unshifted_limit = 40;
// Online softmax rescales its sum at most once for each so many columns, or in threads, at most so
// many, which add column by column and meet by twos.
constexpr std::size_t online_block = 16, online_threads = 128;

// Additions that a term of such threads takes part in; each may rescale it.
std::size_t online_meetings(std::size_t n) {
  const std::size_t threads = std::min(n, online_threads);
  return static_cast<std::size_t>(std::bit_width(threads - 1)) + (n - 1) / online_threads;
}

void softmax_values(const double* x, std::size_t n, double* s) {
  const double top = *std::max_element(x, x + n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += s[i] = std::exp(x[i] - top);
  for (std::size_t i = 0; i < n; ++i) s[i] /= total;
}

/// Sums over j of what the corners of the box need: of s_j, s_j (1 - e^-E_j), s_j (e^E_j - 1) and
/// s_j e^-E_j.
struct Corner {
  double rest = 0, down = 0, up = 0, low = 0;
  void add(double s, double radius) {
    rest += s;
    down -= s * std::expm1(-radius);
    up += s * std::expm1(radius);
    low += s * std::exp(-radius);
  }
  Corner operator+(const Corner& o) const {
    return {rest + o.rest, down + o.down, up + o.up, low + o.low};
  }
};

// How far s_i may move with the logits in their boxes: attained at a corner. Sums over the others
// are taken from both ends, since no difference of sums keeps enough digits.
void image(const RowView& x, const double* s, std::vector<Corner>& before, double* deviation) {
  constexpr double least = 1e-300;  // what underflowed may come back
  // Such boxes hold every distribution, and exponentials of their size would overflow.
  if (!(*std::max_element(x.radius, x.radius + x.n) < 150)) {
    for (std::size_t i = 0; i < x.n; ++i) deviation[i] = std::max(s[i], 1 - s[i]);
    return;
  }
  before.resize(std::max(before.size(), x.n + 1));
  before[0] = {};
  for (std::size_t i = 0; i < x.n; ++i) {
    before[i + 1] = before[i];
    before[i + 1].add(std::max(s[i], least), x.radius[i]);
  }
  Corner after;
  for (std::size_t i = x.n; i-- > 0;) {
    const double e = x.radius[i];
    const Corner others = before[i] + after;
    const double own = std::max(s[i], least);
    const double up =
        (others.rest * std::expm1(e) + others.down) / (own * std::exp(e) + others.low);
    const double down =
        (others.up - others.rest * std::expm1(-e)) / (own * std::exp(-e) + others.rest + others.up);
    deviation[i] = std::min(own * std::max(up, down), std::max(s[i], 1 - s[i]));
    after.add(own, x.radius[i]);
  }
}

// Rounding of all usual forms: shifted and unshifted, e^t and 2^(t log2 e), online.
void add_rounding(const RowView& x, const double* s, const Model& m, const Roundings& r,
                  double* radius) {
  const double top = *std::max_element(x.value, x.value + x.n);
  const double reach = *std::max_element(x.radius, x.radius + x.n);
  const double offset = std::fabs(top) <= unshifted_limit ? std::fabs(top) : 0;
  const double per_unit = 2 * m.kappa.exp_per_unit;
  double rescaled = static_cast<double>((x.n - 1) / online_block) * (2 * m.kappa.exp + 1);
  // The arguments of all rescalings add up to what the maximum rises by.
  if (rescaled > 0 && per_unit > 0)
    rescaled += per_unit * (top - *std::min_element(x.value, x.value + x.n) + 2 * reach);
  const auto term = [&](std::size_t i) {
    return m.u *
           ((3 + per_unit) * (top - x.value[i] + 2 * reach + offset) + 2 * m.kappa.exp + rescaled);
  };
  double greatest = 0;
  for (std::size_t i = 0; i < x.n; ++i) greatest = std::max(greatest, s[i] - radius[i]);
  // No meeting rescales the greatest term. The first exponential of a term is the one that it has
  // in all forms, and multiplies 1.
  const std::size_t meetings = online_meetings(x.n);
  const double met =
      (1 - greatest) * (r.count(meetings) * (2 * m.kappa.exp + 1) - 1) - 2 * m.kappa.exp - rescaled;
  double denominator = std::max(r.of_sum(x.n, 1), r.of_sum(meetings, 2 + std::max(met, 0.0)));
  for (std::size_t i = 0; i < x.n; ++i) denominator += (s[i] + radius[i]) * term(i);
  const double lost = m.eta * static_cast<double>(x.n + 3) * std::exp(offset);
  for (std::size_t i = 0; i < x.n; ++i) {
    const double relative = term(i) + denominator + 3 * m.u;
    radius[i] += (s[i] + radius[i]) * relative * (1 + relative) + lost;
  }
}

// s (v - c), c = s.v, or s v - s c.
void gradient_radius(const RowView& v, const RowView& s, const double* y, double c, const Model& m,
                     const Roundings& r, double* radius) {
  double spread = 0, sum = 0;
  for (std::size_t i = 0; i < v.n; ++i) {
    spread += std::fabs(s.value[i]) * v.radius[i] + std::fabs(v.value[i]) * s.radius[i] +
              s.radius[i] * v.radius[i];
    sum += (std::fabs(s.value[i]) + s.radius[i]) * (std::fabs(v.value[i]) + v.radius[i]);
  }
  const double c_radius = spread + r.of_sum(v.n, 0) * sum + static_cast<double>(v.n) * m.eta;
  for (std::size_t i = 0; i < v.n; ++i) {
    const double q = v.value[i] - c;
    const double q_radius = v.radius[i] + c_radius;
    const double size = std::fabs(v.value[i]) + v.radius[i] + std::fabs(c) + c_radius;
    radius[i] = std::fabs(q) * s.radius[i] +
                (std::fabs(s.value[i]) + s.radius[i]) * (q_radius + 3 * m.u * (1 + m.u) * size) +
                3 * m.eta * (1 + std::fabs(y[i]));
  }
}

}  // namespace

void softmax_rule(const Value& x, Value& y, Context& c) {
  const std::size_t n = x.cols;
  static thread_local std::vector<Corner> corners;
  for (std::size_t row = 0; row < x.entries * x.rows && n > 0; ++row) {
    const std::size_t at = row * n;
    if (!all_finite(x, at, n)) {
      mark_unknown(y, at, n);
      continue;
    }
    double* s = y.value.data() + at;
    softmax_values(x.value.data() + at, n, s);
    const auto bound = [&](const double* radius, const Roundings& r, double* to) {
      const RowView view{x.value.data() + at, radius, n};
      image(view, s, corners, to);
      add_rounding(view, s, c.model, r, to);
    };
    double* error = y.error.data() + at;
    double* variance = y.variance.data() + at;
    bound(x.error.data() + at, {c.model.u, true}, error);
    deviations_of(x, at, n, c.scratch);
    bound(c.scratch.data(), {c.model.u, false}, variance);
    for (std::size_t i = 0; i < n; ++i) {
      error[i] *= inflation;
      variance[i] *= variance[i];
      y.local[at + i] = std::min(error[i], 3 * c.model.u * s[i]);
    }
    if (!usable(error, n)) mark_unknown(y, at, n);
  }
}

void softmax_grad_row(const RowView& v, const RowView& s, const double* v_deviation,
                      const double* s_deviation, double* value, double* error, double* variance,
                      const Model& m) {
  double c = 0;
  for (std::size_t i = 0; i < v.n; ++i) c += s.value[i] * v.value[i];
  for (std::size_t i = 0; i < v.n; ++i) value[i] = s.value[i] * (v.value[i] - c);
  gradient_radius(v, s, value, c, m, {m.u, true}, error);
  gradient_radius({v.value, v_deviation, v.n}, {s.value, s_deviation, s.n}, value, c, m,
                  {m.u, false}, variance);
}

}  // namespace ulpfuzz::bounds
