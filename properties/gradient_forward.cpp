#include <algorithm>
#include <bit>

#include "gradient_judge.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {
namespace {

void add(QuickResult& sum, const QuickResult& part) {
  sum.equal += part.equal;
  sum.exact += part.exact;
  sum.sound += part.sound;
  sum.probable += part.probable;
  sum.none += part.none;
}

}  // namespace

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
  const Place place{.kind = Kind::loop_forward, .row = entry.row, .column = entry.column};
  Block block{index, place, forward_, Comparison::first};
  std::uint32_t& wrt = block.first.wrt;
  QuickResult passed;
  std::vector<std::uint32_t> others;
  for (; wrt < paths_.loop.blocks.size(); ++wrt) {
    if (!differs(block.first, forward_differs)) continue;
    const QuickResult whole = judge_whole(block);
    whole.passes ? add(passed, whole) : others.push_back(wrt);
  }
  if (!others.empty() && !all_finite(entry)) {
    for (wrt = 0; wrt < paths_.loop.blocks.size(); ++wrt) {
      if (differs(block.first, forward_differs)) {
        account_.count(Tier::none, paths_.loop.elements[wrt]);
      }
    }
    return;
  }
  account_.add(passed);
  for (const std::uint32_t other : others) {
    wrt = other;
    judge_parts(block, [this](const Place& p, const Side& s) { judge_forward_element(p, s); });
  }
}

void GradientJudge::judge_forward_element(const Place& place, const Side& loop) {
  const float a = reverse_value(paths_.loop, place);
  const float b = reverse_value(forward_, place);
  if (same_bits(a, b)) {
    account_.count(Tier::bit_equal, 1);
    return;
  }
  const Side nothing{loop.reference, 0, 0, 0, loop.judgement};
  const Judged judged = judge_paths(a, b, loop, nothing, lambda_, true);
  if (judged.ruling == Ruling::pass) {
    account_.add(place, a, b, loop.reference, judged);
  } else {
    pending_.push_back({place, loop});
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
    const Side forward = side(analysis_.entry_output(0, place.element), place.column);
    const float a = reverse_value(paths_.loop, place);
    const float b = reverse_value(forward_, place);
    account_.add(place, a, b, loop.reference, judge_paths(a, b, loop, forward, lambda_, true));
    place.pair = Pair::b_reference;
    account_.add_check(place, a, b, forward.reference, judge_reference(b, forward, lambda_, true));
  }
}

}  // namespace ulpfuzz::properties
