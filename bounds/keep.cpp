#include "keep.hpp"

#include <algorithm>
#include <cmath>

#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

// A grid survives its values' rounding; where rounding has made all of an entry exact, there may be
// one again. Tells whether it is exact.
bool settle_grid(Value& y, std::size_t entry, const Narrowing& to) {
  bool exact = true;
  for (std::size_t i = entry * y.size(); i < (entry + 1) * y.size(); ++i)
    exact = exact && y.error[i] == 0 && y.state_of(i) == State::finite;
  if (!exact) {
    y.grid[entry] = no_grid;
  } else if (to.conditional && y.grid[entry] == no_grid) {
    y.grid[entry] = grid_of(y.value.data() + entry * y.size(), y.size());
  }
  return exact;
}

}  // namespace

Straddle straddle(double value, double radius, Format format, Rounding rounding) {
  const double q = round_to(value, format, rounding);
  if (radius == 0) return {q, 0};
  const double low = round_to(value - radius, format, rounding);
  const double high = round_to(value + radius, format, rounding);
  return {q, low == high ? 0 : std::max(high - q, q - low)};
}

bool fits(Format inner, Format outer) {
  const FormatTraits& i = traits(inner);
  const FormatTraits& o = traits(outer);
  return i.precision <= o.precision && i.emin >= o.emin && i.emax <= o.emax;
}

Narrowing narrowing_to(Format format, const Arithmetic& a, bool conditional) {
  const FormatTraits& f = traits(format);
  Narrowing n;
  n.active = !fits(a.accumulate, format);
  n.conditional = conditional;
  n.format = format;
  n.u = f.unit_roundoff();
  n.least = a.flushes_subnormals ? std::ldexp(1.0, f.emin) : 0;
  n.eta = a.flushes_subnormals ? n.least : f.least() / 2;
  n.omega = f.max() * (1 - n.u);
  n.overflow = f.max() * (1 + 2 * n.u);
  return n;
}

// What has no error is known to the last bit, and so is its rounding.
void Narrowing::round(Element& x) const {
  const double reach = std::fabs(x.value) + x.error;
  const bool flushed = reach > 0 && std::fabs(x.value) - x.error < least;
  if (conditional) {
    const double sigma = std::min(straddle_lambda * x.deviation, x.error);
    x.deviation = straddle(x.value, sigma, format, Rounding::nearest_even).error;
    const Straddle s = straddle(x.value, x.error, format, Rounding::nearest_even);
    x = {s.value, s.error, s.error, x.deviation};
    if (flushed) {
      x.error = x.local = s.error + least;
      x.deviation += least;
    }
    return;
  }
  double rounding = u * reach + eta;
  if (x.error == 0 && !flushed && reach < omega)
    rounding = std::fabs(round_to(x.value, format) - x.value);
  x.error = (x.error + rounding) * (rounding > 0 ? inflation : 1);
  x.local = std::min(x.local + rounding, x.error);
  x.deviation = std::sqrt(x.deviation * x.deviation + rounding * rounding);
}

State state_of_rounded(double& value, double& error, double& deviation, double& local,
                       const Narrowing& to) {
  if (std::isinf(value) && error == 0) return State::class_known;
  return state_of_result(value, error, deviation, local, to.omega, to.overflow);
}

void keep_rule(Value& y, const Narrowing& to) {
  need_variance(y);
  for (std::size_t i = 0; i < y.count(); ++i) {
    const State before = y.state_of(i);
    if (before != State::finite && before != State::range) continue;
    Element x{y.value[i], y.error[i], y.local[i], std::sqrt(y.variance[i])};
    to.round(x);
    y.value[i] = x.value;
    y.error[i] = x.error;
    y.local[i] = x.local;
    y.variance[i] = x.deviation * x.deviation;
    const State s = state_of_rounded(y.value[i], y.error[i], y.variance[i], y.local[i], to);
    if (s == State::finite || before == State::range) continue;
    y.make_dirty();
    y.state[i] = s;
  }
  y.error_free = true;
  for (std::size_t e = 0; e < y.entries; ++e) y.error_free = settle_grid(y, e, to) && y.error_free;
}

}  // namespace ulpfuzz::bounds
