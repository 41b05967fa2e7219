#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "gradient_judge.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {

/// Forward mode multiplies in another order, so that values that are not finite may legally be of
/// another class.
bool GradientJudge::all_finite(Entry entry) const {
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    Place p{.row = entry.row, .column = entry.column, .wrt = static_cast<std::uint32_t>(w)};
    for (p.element = 0; p.element < paths_.loop.elements[w]; ++p.element) {
      if (!std::isfinite(reverse_value(paths_.loop, p))) return false;
      if (!std::isfinite(forward_value(*paths_.forward, p))) return false;
    }
  }
  return true;
}

/// The loop's own bound covers most differences: what it and one standard deviation's multiple do
/// not is put aside for an analysis of the forward network.
void GradientJudge::judge_forward(std::size_t index, Entry entry) {
  const bool finite = all_finite(entry);
  Place place{.kind = Kind::loop_forward, .row = entry.row, .column = entry.column};
  for (; place.wrt < paths_.loop.blocks.size(); ++place.wrt) {
    const std::size_t size = paths_.loop.elements[place.wrt];
    if (!finite) {
      account_.count(Tier::none, size);
      continue;
    }
    for (place.element = 0; place.element < size; ++place.element) {
      const float a = reverse_value(paths_.loop, place);
      const float b = forward_value(*paths_.forward, place);
      if (same_bits(a, b)) {
        account_.count(Tier::bit_equal, 1);
        continue;
      }
      const Side loop = loop_side(place, index);
      const Side nothing{loop.reference, 0, 0, 0, loop.judgement};
      const Judged judged = judge_paths(a, b, loop, nothing, lambda_, true);
      if (judged.ruling == Ruling::pass) {
        account_.add(place, a, b, loop.reference, judged);
      } else {
        pending_.push_back({place, loop});
      }
    }
  }
}

void GradientJudge::judge_pending() {
  const auto key = [](const Pending& p) { return std::pair(p.place.wrt, p.place.row); };
  std::stable_sort(pending_.begin(), pending_.end(),
                   [&](const Pending& x, const Pending& y) { return key(x) < key(y); });
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    Place place = pending_[i].place;
    if (i == 0 || key(pending_[i]) != key(pending_[i - 1])) {
      analysis_.run(t_.derived.forward[place.wrt], c_.parameters, 1,
                    gather_.rows(c_, {&place.row, 1}), t_.trial.subject.arithmetic());
    }
    const Side& loop = pending_[i].loop;
    const Side forward = side(analysis_.output(0), place.element * outputs_ + place.column);
    const float a = reverse_value(paths_.loop, place);
    const float b = forward_value(*paths_.forward, place);
    account_.add(place, a, b, loop.reference, judge_paths(a, b, loop, forward, lambda_, true));
    place.pair = Pair::b_reference;
    account_.add_check(place, a, b, forward.reference, judge_reference(b, forward, lambda_, true));
  }
}

}  // namespace ulpfuzz::properties
