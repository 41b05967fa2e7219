#include "gradient_judge.hpp"

#include <algorithm>

#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::properties {
namespace {

/// Doubles of bounds of one group that a second-level cache holds.
constexpr std::size_t group_elements = 16384;

}  // namespace

GradientJudge::GradientJudge(const GradientTrial& t, const GradientPaths& paths)
    : t_(t),
      c_(t.trial.c),
      paths_(paths),
      analysis_(t.trial.context.analysis),
      outputs_(paths.loop.outputs),
      kinks_(kink_operands(t.derived.loop)) {
  std::size_t elements = 0;
  for (const std::size_t n : paths.loop.elements) elements += n;
  lambda_ = bounds::lambda(elements * paths.loop.batch * outputs_, t.trial.options.eps);
}

Account GradientJudge::judge() {
  const BoundClock clock(t_.trial.context);
  screen();
  std::size_t elements = 1;
  for (const std::size_t n : paths_.loop.elements) elements += n;
  const std::size_t most = std::max<std::size_t>(1, group_elements / elements);
  std::vector<Entry> group;
  for (std::uint32_t row = 0; row < c_.batch(); ++row) {
    for (std::uint32_t column = 0; column < outputs_; ++column) {
      if (flag(row, column) != 0) group.push_back({row, column});
      if (group.size() < most) continue;
      judge_group(group);
      group.clear();
    }
  }
  if (!group.empty()) judge_group(group);
  judge_pending();
  if (!paths_.whole.empty()) judge_summed();
  return std::move(account_);
}

void GradientJudge::run_loop(std::span<const Entry> group,
                             std::span<const bounds::ObservedKinks> observed) {
  analysis_.run(t_.derived.loop, c_.parameters, group.size(), gather_.entries(c_, group),
                t_.trial.subject.arithmetic(), observed);
}

Side GradientJudge::loop_side(const Place& place, std::size_t index) const {
  return side(analysis_.output(place.wrt), index * paths_.loop.elements[place.wrt] + place.element);
}

void GradientJudge::judge_group(std::span<const Entry> group) {
  run_loop(group);
  const bool undecided = analysis_.undecided_kinks() != 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if ((flag(group[i].row, group[i].column) & forward_differs) != 0) judge_forward(i, group[i]);
  }
  if (undecided && judge_by_masks(group)) return;
  for (std::size_t i = 0; i < group.size(); ++i) judge_reverse(i, group[i], {});
}

/// `own`: the loop's side of each element where its masks differ from the vectorized path's, whose
/// analysis is the current one; empty where one analysis serves both.
void GradientJudge::judge_reverse(std::size_t index, Entry entry, std::span<const Side> own) {
  const std::uint8_t flags = flag(entry.row, entry.column);
  if ((flags & (reverse_differs | probe)) == 0) return;
  std::size_t next = 0;
  Place place{.kind = Kind::loop_reverse, .row = entry.row, .column = entry.column};
  for (; place.wrt < paths_.loop.blocks.size(); ++place.wrt) {
    place.element = 0;
    if (own.empty() && (flags & probe) == 0 && quickly(index, place, paths_.reverse, true, true)) {
      continue;
    }
    for (place.element = 0; place.element < paths_.loop.elements[place.wrt]; ++place.element) {
      const Side sb = loop_side(place, index);
      const Side& sa = own.empty() ? sb : own[next++];
      judge_element(place, sa, sb, (flags & probe) != 0);
    }
  }
}

/// The whole block of an entry at once, if it passes.
bool GradientJudge::quickly(std::size_t index, const Place& first, const Jacobian& other,
                            bool both_round, bool with_reference) {
  const std::size_t size = paths_.loop.elements[first.wrt];
  const std::size_t at = (first.row * outputs_ + first.column) * size;
  const QuickRow row =
      quick_row(paths_.loop.blocks[first.wrt].data() + at, other.blocks[first.wrt].data() + at,
                analysis_.output(first.wrt), index * size, size);
  const QuickResult result =
      judge_quickly(row, account_.limits(lambda_, both_round, with_reference));
  if (result.passes) account_.add(result);
  return result.passes;
}

void GradientJudge::judge_element(const Place& place, const Side& sa, const Side& sb,
                                  bool reference_too) {
  const float a = reverse_value(paths_.loop, place);
  const float b = reverse_value(paths_.reverse, place);
  Place check = place;
  check.pair = Pair::a_reference;
  const Judged alone = judge_reference(a, sa, lambda_, true);
  if (same_bits(a, b)) {
    if ((flag(place.row, place.column) & reverse_differs) != 0) account_.count(Tier::bit_equal, 1);
    if (reference_too) account_.add(check, a, b, sa.reference, alone);
    return;
  }
  account_.add(place, a, b, sa.reference, judge_paths(a, b, sa, sb, lambda_, true));
  account_.add_check(check, a, b, sa.reference, alone);
  check.pair = Pair::b_reference;
  account_.add_check(check, a, b, sb.reference, judge_reference(b, sb, lambda_, true));
}

Account judge_gradients(const GradientTrial& t, const GradientPaths& paths) {
  return GradientJudge(t, paths).judge();
}

}  // namespace ulpfuzz::properties
