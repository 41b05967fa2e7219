#include "gradient_judge.hpp"

#include <algorithm>

#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::properties {
namespace {

/// Doubles of bounds of one group that a second-level cache holds.
constexpr std::size_t group_elements = 16384;

/// Does the analysis bound this node's elements by its factors alone?
bool is_outer(const Network& network, const Node& node) {
  if (node.op != Op::matmul) return false;
  const Shape& a = network.node(node.args[0]).shape;
  return (node.transpose_a ? a.rows : a.cols) == 1;
}

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
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < c_.batch(); ++row) {
    const std::uint8_t* flags = &flag(row, 0);
    if (std::any_of(flags, flags + outputs_, [](std::uint8_t f) { return f != 0; })) {
      rows.push_back(row);
    }
  }
  const std::size_t most = rows_at_once();
  for (std::size_t i = 0; i < rows.size(); i += most) {
    judge_rows(std::span(rows).subspan(i, std::min(most, rows.size() - i)));
  }
  judge_probe();
  judge_pending();
  if (!paths_.whole.rows.empty()) judge_summed();
  if (paths_.forward) t_.trial.context.scratch = std::move(forward_.blocks);
  return std::move(account_);
}

std::size_t GradientJudge::rows_at_once() const {
  const Network& network = t_.derived.reverse;
  std::size_t elements = 1;
  for (const NodeId id : network.outputs()) {
    const Node& node = network.node(id);
    elements += is_outer(network, node) ? node.shape.rows + node.shape.cols : node.shape.size();
  }
  return std::max<std::size_t>(1, group_elements / (elements * outputs_));
}

void GradientJudge::judge_rows(std::span<const std::uint32_t> rows) {
  analysis_.run(t_.derived.reverse, c_.parameters, rows.size(), gather_.unit_cotangents(c_, rows),
                t_.trial.subject.arithmetic());
  const bool undecided = analysis_.undecided_kinks() != 0;
  undecided_.clear();
  for (std::size_t i = 0; i < rows.size() * outputs_; ++i) {
    const Entry entry{rows[i / outputs_], static_cast<std::uint32_t>(i % outputs_)};
    const std::uint8_t flags = flag(entry.row, entry.column);
    if ((flags & forward_differs) != 0) judge_forward(i, entry);
    if ((flags & reverse_differs) == 0) continue;
    if (undecided) {
      undecided_.push_back(entry);
    } else {
      judge_reverse(i, entry, {});
    }
  }
  std::size_t elements = 1;
  for (const std::size_t n : paths_.loop.elements) elements += n;
  const std::size_t most = std::max<std::size_t>(1, group_elements / elements);
  for (std::size_t i = 0; i < undecided_.size(); i += most) {
    judge_undecided(std::span(undecided_).subspan(i, std::min(most, undecided_.size() - i)));
  }
}

void GradientJudge::judge_undecided(std::span<const Entry> group) {
  if (judge_by_masks(group)) return;
  run_loop(group);
  for (std::size_t i = 0; i < group.size(); ++i) judge_reverse(i, group[i], {});
}

/// Some entry is held against the reference even if its paths are equal.
void GradientJudge::judge_probe() {
  const std::size_t at = fingerprint(c_) % flags_.size();
  if ((flags_[at] & reverse_differs) != 0) return;
  const Entry entry{static_cast<std::uint32_t>(at / outputs_),
                    static_cast<std::uint32_t>(at % outputs_)};
  run_loop({&entry, 1});
  if (analysis_.undecided_kinks() != 0) {
    judge_undecided({&entry, 1});
  } else {
    judge_reverse(0, entry, {});
  }
}

void GradientJudge::run_loop(std::span<const Entry> group,
                             std::span<const bounds::ObservedKinks> observed) {
  analysis_.run(t_.derived.loop, c_.parameters, group.size(), gather_.entries(c_, group),
                t_.trial.subject.arithmetic(), observed);
}

/// `own`: the loop's side of each element where its masks differ from the vectorized path's, whose
/// analysis is the current one; empty where one analysis serves both.
void GradientJudge::judge_reverse(std::size_t index, Entry entry, std::span<const Side> own) {
  const bool probe = (flag(entry.row, entry.column) & reverse_differs) == 0;
  const Comparison comparison = probe ? Comparison::reference : Comparison::paths;
  std::size_t next = 0;
  Place place{.kind = Kind::loop_reverse, .row = entry.row, .column = entry.column};
  for (; place.wrt < paths_.loop.blocks.size(); ++place.wrt) {
    const std::size_t first = next;
    next += paths_.loop.elements[place.wrt];
    if (!probe && !differs(place, reverse_differs)) continue;
    place.element = 0;
    if (own.empty()) {
      judge_block({index, place, paths_.reverse, comparison},
                  [this](const Place& p, const Side& s) { judge_element(p, s, s); });
      continue;
    }
    const bounds::OutputBounds bounds = analysis_.entry_output(place.wrt, index);
    for (; place.element < paths_.loop.elements[place.wrt]; ++place.element) {
      judge_element(place, own[first + place.element], side(bounds, place.element));
    }
  }
}

void GradientJudge::judge_element(const Place& place, const Side& sa, const Side& sb) {
  const float a = reverse_value(paths_.loop, place);
  const float b = reverse_value(paths_.reverse, place);
  Place check = place;
  check.pair = Pair::a_reference;
  const Judged alone = judge_reference(a, sa, lambda_, true);
  if ((flag(place.row, place.column) & reverse_differs) == 0) {
    account_.add(check, a, b, sa.reference, alone);
    return;
  }
  account_.add_check(check, a, b, sa.reference, alone);
  if (same_bits(a, b)) {
    account_.count(Tier::bit_equal, 1);
    return;
  }
  account_.add(place, a, b, sa.reference, judge_paths(a, b, sa, sb, lambda_, true));
  check.pair = Pair::b_reference;
  account_.add_check(check, a, b, sb.reference, judge_reference(b, sb, lambda_, true));
}

Account judge_gradients(const GradientTrial& t, const GradientPaths& paths) {
  return GradientJudge(t, paths).judge();
}

}  // namespace ulpfuzz::properties
