#include <cmath>

#include "gradient_judge.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {

Side micro_side(Side s, double rounding) {
  // A part that left the range says nothing of the sum.
  if (!std::isfinite(rounding)) s.judgement = bounds::Judgement::no_bound;
  if (s.judgement != bounds::Judgement::usable) return s;
  s.sound += rounding;
  s.sigma = std::sqrt(s.sigma * s.sigma + rounding * rounding);
  return s;
}

/// Whole and in micro-batches are two orders of one sum over the rows.
void GradientJudge::judge_summed() {
  analysis_.run(t_.derived.summed, c_.parameters, paths_.rows.size(),
                gather_.with_cotangents(c_, paths_.rows), t_.trial.subject.arithmetic());
  Place place{.kind = Kind::summed};
  for (std::size_t p = 0; p < paths_.whole.size(); ++p) {
    place.wrt = static_cast<std::uint32_t>(c_.inputs.size() + p);
    const bounds::OutputBounds bounds = analysis_.output(place.wrt);
    for (place.element = 0; place.element < paths_.whole[p].size(); ++place.element) {
      const float a = paths_.whole[p][place.element];
      const float b = paths_.micro[p][place.element];
      const Side s = side(bounds, place.element);
      const Side sum = micro_side(s, paths_.micro_rounding[p][place.element]);
      Place check = place;
      check.pair = Pair::a_reference;
      const Judged alone = judge_reference(a, s, lambda_, true);
      if (same_bits(a, b)) {
        account_.count(Tier::bit_equal, 1);
        account_.add_check(check, a, b, s.reference, alone);
        continue;
      }
      account_.add(place, a, b, s.reference, judge_paths(a, b, s, sum, lambda_, true));
      account_.add_check(check, a, b, s.reference, alone);
      check.pair = Pair::b_reference;
      account_.add_check(check, a, b, s.reference, judge_reference(b, sum, lambda_, true));
    }
  }
}

}  // namespace ulpfuzz::properties
