#include <algorithm>
#include <bit>

#include "gradient_judge.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {

/// Forward mode multiplies in another order, so that values that are not finite may legally be of
/// another class.
bool GradientJudge::all_finite(Entry entry) const {
  const auto finite = [](const float* x, std::size_t n) {
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::bit_cast<std::uint32_t>(x[i]) & 0x7fffffffu);
    }
    return largest < 0x7f800000u;
  };
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = paths_.loop.elements[w];
    const std::size_t at = (entry.row * outputs_ + entry.column) * size;
    if (!finite(paths_.loop.blocks[w].data() + at, size)) return false;
    if (!finite(forward_.blocks[w].data() + at, size)) return false;
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
    place.element = 0;
    if (quickly(index, place, forward_, false, false)) continue;
    for (place.element = 0; place.element < size; ++place.element) {
      const float a = reverse_value(paths_.loop, place);
      const float b = reverse_value(forward_, place);
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
    const float b = reverse_value(forward_, place);
    account_.add(place, a, b, loop.reference, judge_paths(a, b, loop, forward, lambda_, true));
    place.pair = Pair::b_reference;
    account_.add_check(place, a, b, forward.reference, judge_reference(b, forward, lambda_, true));
  }
}

}  // namespace ulpfuzz::properties
