#include <cmath>

#include "jets.hpp"
#include "rules.hpp"
#include "smooth.hpp"
#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

// A relu unit whose z may cross zero keeps its deviation; one out of reach of zero has no error at
// all. `slope` is that for z < 0; nonzero slopes round once.
ULPFUZZ_CLONES void relu_rule(double slope, const Value& x, Value& y, const Model& m) {
  const double steepest = std::max(1.0, std::fabs(slope));
  const double narrow = m.narrow ? m.u : 0;
  const double rounding = slope == 0 || slope == 1 ? 0 : m.u;
  const double constant = (slope == 0 ? 0 : m.eta) + m.daz;
  blocks(
      x.count(), [&](std::size_t i, std::size_t live) __attribute__((always_inline)) {
        V8 z, e, variance;
        load(z, x.value.data() + i);
        load(e, x.error.data() + i);
        load(variance, x.variance.data() + i);
        const V8 value = select(z > 0.0, z, slope * z);
        const V8 high = z + e;
        const V8 low = z - e;
        V8 image;
        if (slope == 0) {
          image = select(z > 0.0, e, max(high, V8{}));
        } else {
          image = select(low > 0.0, e, select(high < 0.0, std::fabs(slope) * e, steepest * e));
        }
        const V8 local = select(low > 0.0, V8{}, rounding * (abs(value) + image) + constant) +
                         narrow * (abs(value) + image) + m.sum_eta;
        const I8 near = z * z < 81.0 * variance;
        const V8 gain = select(near, splat(steepest * steepest),
                               select(z > 0.0, splat(1.0), splat(slope * slope)));
        store(y.value.data() + i, value, live);
        store(y.error.data() + i, (image + local) * inflation, live);
        store(y.variance.data() + i, gain * variance + local * local, live);
        store(y.local.data() + i, local, live);
      });
}

// alpha (e^z - 1), whose error is absolute, or alpha expm1(z); reach: the largest |value|.
double elu_rounding(double steepness, double reach, double image, double distance, const Model& m) {
  const ElementaryAccuracy& k = m.kappa;
  if (m.formulas == Formulas::accurate)
    return m.u * (2 * k.exp + 1 + 2 * k.exp_per_unit * distance) * reach + 4 * m.eta;
  return m.u * (steepness * (2 * k.exp + 2 + per_unit_elu * k.exp_per_unit) + image) + 4 * m.eta;
}

void elu_rule(double alpha, const Value& x, Value& y, const Model& m) {
  const double steepness = std::fabs(alpha);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const double z = x.value[i];
    const double e = x.error[i];
    const bool positive = z - e > 0;
    const double value = z > 0 ? z : alpha * std::expm1(z);
    const double below = steepness * std::exp(std::min(z + e, 0.0));
    const double slope = positive ? 1 : z + e < 0 ? below : std::max(1.0, steepness);
    const double image = slope * e;
    const double local =
        positive ? m.sum_eta + (m.narrow ? m.u * (z + e) : 0)
                 : elu_rounding(steepness, std::fabs(value) + image, image, std::fabs(z) + e, m);
    const bool near = z * z < 81 * x.variance[i];
    const double gain = near ? std::max(1.0, steepness) : slope;
    y.value[i] = value;
    y.local[i] = local;
    y.error[i] = (image + local) * inflation;
    y.variance[i] = gain * gain * x.variance[i] + local * local;
  }
}

// Infinities pass through a relu; everything else that is not finite depends on the formula.
void activation_states(Op op, const Value& x, Value& y, const Model& m) {
  y.make_dirty();
  for (std::size_t i = 0; i < x.count(); ++i) {
    const bool infinite = x.state_of(i) == State::class_known &&
                          x.value[i] == std::numeric_limits<double>::infinity();
    if (infinite && (op == Op::relu || op == Op::leaky_relu)) {
      y.state[i] = State::class_known;
      y.value[i] = x.value[i];
      y.error[i] = y.variance[i] = y.local[i] = 0;
    } else if (x.state_of(i) != State::finite) {
      y.state[i] = State::unknown;
    } else {
      y.state[i] =
          state_of_result(y.value[i], y.error[i], y.variance[i], y.local[i], m.omega, m.overflow);
    }
  }
}

ULPFUZZ_CLONES bool below(const double* value, const double* error, std::size_t n, double limit) {
  V8 bad{};
  blocks(
      n, [&](std::size_t i, std::size_t live) __attribute__((always_inline)) {
        V8 v, e;
        load(v, value + i);
        load(e, error + i);
        bad += not_below(abs(v) + e, limit, first_ones(live));
      });
  return !any(bad);
}

}  // namespace

bool all_below(const Value& y, double limit) {
  return below(y.value.data(), y.error.data(), y.count(), limit);
}

void activation_rule(const Node& node, const Value& x, Value& y, Context& c) {
  const Model& m = c.model;
  switch (node.op) {
    case Op::relu:
      relu_rule(0, x, y, m);
      break;
    case Op::leaky_relu:
      relu_rule(node.alpha, x, y, m);
      break;
    case Op::elu:
      elu_rule(node.alpha, x, y, m);
      break;
    default:
      smooth_rule(node.op, Part::value, x, y, m);
  }
  if (node.op == Op::relu && m.daz == 0 && !m.narrow) {
    std::copy_n(x.grid.begin(), x.entries, y.grid.begin());
    y.error_free = x.error_free;
  }
  // Only these two may be steeper than 1 by much, so that finite operands overflow.
  const bool steep = node.op == Op::leaky_relu || node.op == Op::elu;
  if (!x.clean || (steep && !all_below(y, m.omega))) activation_states(node.op, x, y, m);
}

}  // namespace ulpfuzz::bounds
