#include <algorithm>
#include <cmath>

#include "gradient_judge.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {
namespace {

/// Elements that are judged one by one where one of them asks for it.
constexpr std::size_t part_elements = 64;

}  // namespace

Side micro_side(Side s, double rounding) {
  // A part that left the range says nothing of the sum. Where none did and the whole must, what
  // overflows there is a sum over rows, as of one use of a parameter that is used twice, and
  // micro-batches add in another order.
  if (!std::isfinite(rounding) || s.judgement == bounds::Judgement::nonfinite)
    s.judgement = bounds::Judgement::no_bound;
  // A total on a coarse grid may have parts that are not. Then what they add up to is rounded, too,
  // which other totals allow for.
  if (s.judgement == bounds::Judgement::exact && rounding > 0) {
    s.judgement = bounds::Judgement::usable;
    rounding += unit_roundoff_fp32 * (std::fabs(s.reference) + rounding) + 0x1p-150;
  }
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
    const std::size_t size = paths_.whole[p].size();
    for (std::size_t from = 0; from < size; from += part_elements) {
      const std::size_t live = std::min(part_elements, size - from);
      // The micro-batches' roundings only add to what is allowed here.
      const QuickResult quick =
          judge_quickly(quick_row(paths_.whole[p].data() + from, paths_.micro[p].data() + from,
                                  bounds, from, live),
                        account_.limits(lambda_, Comparison::paths, false));
      if (quick.passes) {
        account_.add(quick);
        continue;
      }
      for (std::size_t i = from; i < from + live; ++i) {
        place.element = static_cast<std::uint32_t>(i);
        judge_summed_element(place, side(bounds, i));
      }
    }
  }
}

void GradientJudge::judge_summed_element(const Place& place, const Side& s) {
  const std::size_t p = place.wrt - c_.inputs.size();
  const float a = paths_.whole[p][place.element];
  const float b = paths_.micro[p][place.element];
  const Side sum = micro_side(s, paths_.micro_rounding[p][place.element]);
  Place check = place;
  check.pair = Pair::a_reference;
  const Judged alone = judge_reference(a, s, lambda_, true);
  if (same_bits(a, b)) {
    account_.count(Tier::bit_equal, 1);
    account_.add_check(check, a, b, s.reference, alone);
    return;
  }
  account_.add(place, a, b, s.reference, judge_paths(a, b, s, sum, lambda_, true));
  account_.add_check(check, a, b, s.reference, alone);
  check.pair = Pair::b_reference;
  account_.add_check(check, a, b, s.reference, judge_reference(b, sum, lambda_, true));
}

}  // namespace ulpfuzz::properties
