#include <algorithm>
#include <cmath>

#include "conditional.hpp"
#include "rules.hpp"
#include "typical_nodes.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

/// Of the envelope over the usual formulas, what a good one makes besides the rounding of its
/// result: measured (docs/bounds.md).
constexpr double share_of_envelope = 0.03;

double square(double x) { return x * x; }

// What the rule of an activation or derivative says of n numbers that are exact.
Value of_exact(const Node& node, const double* z, std::size_t n, const Model& m) {
  const Shape row{1, static_cast<std::uint32_t>(n)};
  Value x, y;
  x.reset(1, row);
  y.reset(1, row);
  x.zero_errors();
  std::copy_n(z, n, x.value.begin());
  Context context;
  context.model = m;
  if (node.op == Op::derivative) {
    derivative_rule(node, x, {}, y, context);
  } else {
    activation_rule(node, x, y, context);
  }
  return y;
}

// phi' of n numbers, all `shift` further on.
std::vector<double> slopes(Op of, float alpha, const double* z, std::size_t n, double shift) {
  std::vector<double> x(z, z + n);
  for (double& v : x) v += shift;
  Node node;
  node.op = Op::derivative;
  node.of = of;
  node.alpha = alpha;
  const Value y = of_exact(node, x.data(), n, model_of({}));
  return {y.value.begin(), y.value.begin() + static_cast<std::ptrdiff_t>(n)};
}

bool kinked(Op op) { return op == Op::relu || op == Op::leaky_relu || op == Op::elu; }

// Left of the kink phi' is `alpha`, or near the kink about that; right of it 1.
double left_slope(Op of, float alpha) { return of == Op::relu ? 0 : alpha; }

// The rules' own envelopes are those over a sound box, which in deep networks holds everything.
std::vector<double> own_roundings(const TypicalNode& n) {
  const Value& y = n.y();
  const Value exact = of_exact(n.node, n.operand(0).value.data(), y.count(), n.arithmetic.model);
  const double u = rms_nearest * traits(n.arithmetic.stated.accumulate).unit_roundoff();
  std::vector<double> variance(y.count(), 0);
  for (std::size_t i = 0; i < y.count(); ++i)
    if (y.local[i] > 0)
      variance[i] = square(u * y.value[i]) +
                    square(share_of_envelope * std::min(exact.local[i], y.local[i])) +
                    square(underflow(y.value[i], n.arithmetic));
  return variance;
}

void activation(const TypicalNode& n, Variances& v) {
  const Value& x = n.operand(0);
  const auto& from = v.total[n.node.args[0]];
  const std::vector<double> slope =
      activation_slopes(n.node, x.value.data(), from.data(), x.count());
  auto& local = v.local[n.id];
  if (n.node.op != Op::relu) local = own_roundings(n);
  for (std::size_t i = 0; i < x.count(); ++i)
    v.total[n.id][i] = square(slope[i]) * from[i] + local[i];
}

void derivative(const TypicalNode& n, Variances& v) {
  const Value& x = n.operand(0);
  const auto& from = v.total[n.node.args[0]];
  constexpr double h = 0x1p-16;
  const auto above = slopes(n.node.of, n.node.alpha, x.value.data(), x.count(), h);
  const auto below = slopes(n.node.of, n.node.alpha, x.value.data(), x.count(), -h);
  const double jump = 1 - left_slope(n.node.of, n.node.alpha);
  auto& local = v.local[n.id];
  local = own_roundings(n);
  for (std::size_t i = 0; i < x.count(); ++i) {
    double bend = (above[i] - below[i]) / (2 * h);
    double flips = 0;
    if (kinked(n.node.of)) {
      // An observed z has settled the side; at z = 0, exactly, all take the left one.
      const bool open = n.y().error[i] > n.y().local[i] * inflation && from[i] > 0;
      if (open) flips = square(jump) * tail(std::fabs(x.value[i]) / std::sqrt(from[i]));
      bend = n.node.of == Op::elu && x.value[i] < 0 ? above[i] : 0;
    }
    v.total[n.id][i] = square(bend) * from[i] + flips + local[i];
  }
}

void binary(const TypicalNode& n, Variances& v) {
  const Value& a = n.operand(0);
  const Value& b = n.operand(1);
  const Value& y = n.y();
  const auto& va = v.total[n.node.args[0]];
  const auto& vb = v.total[n.node.args[1]];
  const double u = rms_nearest * traits(n.arithmetic.stated.accumulate).unit_roundoff();
  for (std::size_t e = 0, i = 0; e < y.entries; ++e)
    for (std::size_t k = 0; k < y.size(); ++k, ++i) {
      const std::size_t p = n.offset(0, e) + (a.rows == y.rows ? k : k % y.cols);
      const std::size_t q = n.offset(1, e) + (b.rows == y.rows ? k : k % y.cols);
      // Sums of subnormals are exact.
      const double lost = n.node.op == Op::mul || n.arithmetic.model.sum_eta > 0
                              ? underflow(y.value[i], n.arithmetic)
                              : 0;
      v.local[n.id][i] = y.local[i] > 0 ? square(u * y.value[i]) + square(lost) : 0;
      const double brought = n.node.op == Op::add ? va[p] + vb[q]
                                                  : square(a.value[p]) * vb[q] +
                                                        square(b.value[q]) * va[p] + va[p] * vb[q];
      v.total[n.id][i] = brought + v.local[n.id][i];
    }
}

}  // namespace

double underflow(double value, const NodeArithmetic& a) {
  const double size = std::fabs(value);
  if (size == 0 || size >= std::ldexp(1.0, traits(a.stated.accumulate).emin)) return 0;
  return a.stated.flushes_subnormals ? std::min(size, a.model.eta) : a.model.eta;
}

double tail(double distance) { return 0.5 * std::erfc(distance / std::sqrt(2.0)); }

// Next to a kink, the part of the distribution on either side counts with its slope.
std::vector<double> activation_slopes(const Node& node, const double* z, const double* variance,
                                      std::size_t n) {
  std::vector<double> slope = slopes(node.op, node.alpha, z, n, 0);
  if (!kinked(node.op)) return slope;
  for (std::size_t i = 0; i < n; ++i) {
    const double left = z[i] > 0 ? left_slope(node.op, node.alpha) : slope[i];
    const double below = variance[i] > 0 ? tail(z[i] / std::sqrt(variance[i])) : z[i] > 0 ? 0 : 1;
    slope[i] = std::sqrt(1 - below + below * left * left);
  }
  return slope;
}

void typical_elements(const TypicalNode& n, Variances& v) {
  if (n.node.op == Op::add || n.node.op == Op::mul) return binary(n, v);
  n.node.op == Op::derivative ? derivative(n, v) : activation(n, v);
}

// One boundary is near at most: normal tails beyond it, times the step.
double flip_variance(double value, double variance, Format format, Rounding rounding) {
  if (!(variance > 0)) return 0;
  const double sigma = std::sqrt(variance);
  const double q = round_to(value, format, rounding);
  double flips = 0;
  for (const double side : {-1.0, 1.0}) {
    // Bisection for the boundary within 9 deviations, if there is one.
    double inside = 0, outside = 9 * sigma;
    const double beyond = round_to(value + side * outside, format, rounding);
    if (beyond == q || !std::isfinite(beyond)) continue;
    for (int i = 0; i < 30; ++i) {
      const double middle = 0.5 * (inside + outside);
      (round_to(value + side * middle, format, rounding) == q ? inside : outside) = middle;
    }
    const double step = round_to(value + side * outside, format, rounding) - q;
    flips += step * step * tail(outside / sigma);
  }
  return flips;
}

}  // namespace ulpfuzz::bounds
