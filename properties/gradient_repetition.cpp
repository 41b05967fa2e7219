#include <algorithm>

#include "equal_bits.hpp"
#include "gradient.hpp"

namespace ulpfuzz::properties {
namespace {

using Blocks = std::vector<std::vector<float>>;

bool same_bits(const Blocks& a, const Blocks& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return equal_bits(x, y); });
}

/// Two evaluations of the schedules that a failing element comes from.
class Comparison {
 public:
  Comparison(const GradientTrial& t, const Finding& failure) : t_(t), failure_(failure) {}

  bool differs(const GradientPaths& first, const GradientPaths& again) const {
    const Place& p = failure_.place;
    if (p.kind == Kind::summed) {
      const auto value = [&](const Blocks& sums) {
        return sums[parameter_of(t_.trial.c, p)][p.element];
      };
      return differ(first.whole.gradients, again.whole.gradients, value) ||
             differ(first.micro, again.micro, value);
    }
    const auto reverse = [&](const Jacobian& j) { return reverse_value(j, p); };
    const auto forward = [&](const Jacobian& j) { return forward_value(j, p); };
    if (differ(first.loop, again.loop, reverse)) return true;
    if (p.kind == Kind::loop_forward) return differ(*first.forward, *again.forward, forward);
    return differ(first.reverse, again.reverse, reverse);
  }

 private:
  static const Blocks& blocks(const Jacobian& j) { return j.blocks; }
  static const Blocks& blocks(const Blocks& sums) { return sums; }

  template <class Results, class Value>
  bool differ(const Results& first, const Results& again, Value value) const {
    if (t_.trial.subject.deterministic()) return !same_bits(blocks(first), blocks(again));
    return repeated_differs(value(first), value(again), failure_.judged.sound);
  }

  const GradientTrial& t_;
  const Finding& failure_;
};

GradientPaths evaluate_again(const GradientTrial& t, Kind kind) {
  Caller& caller = t.trial.context.caller;
  const Subject& subject = t.trial.subject;
  const Case& c = t.trial.c;
  GradientPaths again;
  if (kind == Kind::summed) {
    evaluate_summed(t, c, again);
    return again;
  }
  again.loop = jacobian_loop(caller, subject, c, t.derived);
  if (kind == Kind::loop_forward) {
    again.forward = jacobian_forward(caller, subject, c, t.derived);
  } else {
    again.reverse = jacobian_reverse(caller, subject, c, t.derived);
  }
  return again;
}

}  // namespace

/// With n calls each time, the repetitions begin s, s + n and s + 2n + 1 calls after the first: not
/// all of these are multiples of the period of a subject that gives the same every so many calls.
bool differs_when_repeated(const GradientTrial& t, const GradientPaths& paths,
                           const Finding& failure) {
  const Comparison comparison(t, failure);
  for (int k = 0; k < 3; ++k) {
    if (k == 2) jacobian_reverse(t.trial.context.caller, t.trial.subject, t.trial.c, t.derived);
    if (comparison.differs(paths, evaluate_again(t, failure.place.kind))) return true;
  }
  return false;
}

}  // namespace ulpfuzz::properties
