#include <algorithm>
#include <span>
#include <vector>

#include "equal_bits.hpp"
#include "gradient_judge.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {
namespace {

/// Elements that are judged at once where both sums have the same bits.
constexpr std::size_t run_elements = 64;

}  // namespace

/// Whole and in micro-batches are two orders of one sum over the rows. The analysis of all rows
/// bounds the whole, and what has its bits; what differs wants one of each micro-batch.
void GradientJudge::judge_summed() {
  const BatchSum& whole = paths_.whole;
  analysis_.run(t_.derived.summed, c_.parameters, whole.rows.size(),
                gather_.with_cotangents(c_, whole.rows), t_.trial.subject.arithmetic());
  std::vector<SummedElement> differing;
  Place place{.kind = Kind::summed};
  for (std::size_t p = 0; p < whole.gradients.size(); ++p) {
    place.wrt = static_cast<std::uint32_t>(c_.inputs.size() + p);
    const bounds::OutputBounds bounds = analysis_.output(place.wrt);
    const std::span<const float> a = whole.gradients[p], b = paths_.micro[p];
    for (std::size_t from = 0; from < a.size(); from += run_elements) {
      const std::size_t live = std::min(run_elements, a.size() - from);
      if (equal_bits(a.subspan(from, live), b.subspan(from, live))) {
        const QuickResult quick =
            judge_quickly(quick_row(a.data() + from, b.data() + from, bounds, from, live),
                          account_.limits(lambda_, Comparison::paths, false));
        if (quick.passes) {
          account_.add(quick);
          continue;
        }
      }
      for (std::size_t i = from; i < from + live; ++i) {
        place.element = static_cast<std::uint32_t>(i);
        judge_whole_sum({place, side(bounds, i)}, differing);
      }
    }
  }
  const std::vector<Side> micro = micro_sides(analysis_, t_, c_, paths_, differing);
  for (std::size_t i = 0; i < micro.size(); ++i) judge_both_sums(differing[i], micro[i]);
}

void GradientJudge::judge_whole_sum(const SummedElement& e, std::vector<SummedElement>& differing) {
  const std::size_t p = parameter_of(c_, e.place);
  const float a = paths_.whole.gradients[p][e.place.element];
  const float b = paths_.micro[p][e.place.element];
  Place check = e.place;
  check.pair = Pair::a_reference;
  account_.add_check(check, a, b, e.side.reference, judge_reference(a, e.side, lambda_, true));
  if (same_bits(a, b)) {
    account_.count(Tier::bit_equal, 1);
  } else {
    differing.push_back(e);
  }
}

void GradientJudge::judge_both_sums(const SummedElement& e, const Side& micro) {
  const std::size_t p = parameter_of(c_, e.place);
  const float a = paths_.whole.gradients[p][e.place.element];
  const float b = paths_.micro[p][e.place.element];
  account_.add(e.place, a, b, e.side.reference, judge_paths(a, b, e.side, micro, lambda_, true));
  Place check = e.place;
  check.pair = Pair::b_reference;
  account_.add_check(check, a, b, micro.reference, judge_reference(b, micro, lambda_, true));
}

}  // namespace ulpfuzz::properties
