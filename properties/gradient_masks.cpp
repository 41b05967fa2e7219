#include "equal_bits.hpp"
#include "first_op.hpp"
#include "gradient_judge.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::properties {
namespace {

/// The network with its kink operands as further outputs: what the subject takes its masks from.
Network with_kinks(const Network& network, std::span<const NodeId> kinks) {
  Network opened = network;
  for (const NodeId id : kinks) opened.output(id);
  return opened;
}

/// Outputs narrower than the arithmetic do not show the value that the mask was taken from.
bool shows_masks(const Arithmetic& a) {
  return traits(a.accumulate).precision <= traits(a.store).precision;
}

}  // namespace

/// Judges a group with kinks that no bound decides by the masks that each path really took; false
/// if they cannot be read, which leaves the widened bounds.
bool GradientJudge::judge_by_masks(std::span<const Entry> group) {
  Masks loop;
  Masks reverse;
  if (!observe_loop(group, loop) || !observe_reverse(group, reverse)) return false;
  const bool shown = shows_masks(t_.trial.subject.arithmetic());
  run_loop(group, loop.observed);
  account_.contradiction(shown && analysis_.contradicted_kinks() != 0);
  bool same = true;
  for (std::size_t k = 0; k < kinks_.size(); ++k) {
    same = same && equal_bits(loop.values[k], reverse.values[k]);
  }
  std::vector<Side> own;
  if (!same) {
    own = all_sides(group.size());
    run_loop(group, reverse.observed);
    account_.contradiction(shown && analysis_.contradicted_kinks() != 0);
  }
  const std::size_t each = own.size() / group.size();
  for (std::size_t i = 0; i < group.size(); ++i) {
    judge_reverse(i, group[i], std::span<const Side>(own).subspan(i * each, each));
  }
  return true;
}

std::vector<Side> GradientJudge::all_sides(std::size_t entries) const {
  std::vector<Side> sides;
  for (std::size_t e = 0; e < entries; ++e) {
    for (std::size_t w = 0; w < paths_.loop.elements.size(); ++w) {
      const bounds::OutputBounds bounds = analysis_.output(w);
      const std::size_t n = paths_.loop.elements[w];
      for (std::size_t i = 0; i < n; ++i) sides.push_back(side(bounds, e * n + i));
    }
  }
  return sides;
}

bool GradientJudge::observe_loop(std::span<const Entry> group, Masks& masks) {
  const Network opened = with_kinks(t_.derived.loop, kinks_);
  masks.values.assign(kinks_.size(), {});
  Gather gather;
  for (const Entry& entry : group) {
    const auto out = evaluate_opened(
        t_.trial.context, t_.trial.subject,
        {opened, c_.parameters, 1, gather.entries(c_, {&entry, 1}), c_.layout.slice_offset});
    if (!out) return false;
    for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
      const Place first{
          .row = entry.row, .column = entry.column, .wrt = static_cast<std::uint32_t>(w)};
      const std::size_t n = paths_.loop.elements[w];
      const float* before =
          paths_.loop.blocks[w].data() + (first.row * outputs_ + first.column) * n;
      if (!equal_bits(out->values[w], {before, out->values[w].size()})) return false;
    }
    for (std::size_t k = 0; k < kinks_.size(); ++k) {
      const auto z = out->values[paths_.loop.blocks.size() + k];
      masks.values[k].insert(masks.values[k].end(), z.begin(), z.end());
    }
  }
  for (std::size_t k = 0; k < kinks_.size(); ++k) {
    masks.observed.push_back({kinks_[k], masks.values[k]});
  }
  return true;
}

/// The vectorized path's masks of the whole batch, read once.
bool GradientJudge::read_reverse_kinks() {
  if (reverse_kinks_read_) return !reverse_kinks_.empty();
  reverse_kinks_read_ = true;
  const std::vector<NodeId> kinks = kink_operands(t_.derived.reverse);
  if (kinks.size() != kinks_.size()) return false;
  std::vector<std::uint32_t> rows(c_.batch());
  for (std::uint32_t r = 0; r < rows.size(); ++r) rows[r] = r;
  Gather gather;
  const Network opened = with_kinks(t_.derived.reverse, kinks);
  const auto out = evaluate_opened(t_.trial.context, t_.trial.subject,
                                   {opened, c_.parameters, c_.batch(),
                                    gather.unit_cotangents(c_, rows), c_.layout.batch_offset});
  if (!out) return false;
  for (std::size_t w = 0; w < paths_.reverse.blocks.size(); ++w) {
    if (!equal_bits(out->values[w], {paths_.reverse.blocks[w].data(), out->values[w].size()}))
      return false;
  }
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    const Node& node = t_.derived.reverse.node(kinks[k]);
    if (node.axis != Axis::batch) return false;
    const auto z = out->values[paths_.reverse.blocks.size() + k];
    reverse_kinks_.emplace_back(z.begin(), z.end());
  }
  return true;
}

bool GradientJudge::observe_reverse(std::span<const Entry> group, Masks& masks) {
  if (!read_reverse_kinks()) return false;
  masks.values.assign(kinks_.size(), {});
  for (std::size_t k = 0; k < kinks_.size(); ++k) {
    const std::size_t size = reverse_kinks_[k].size() / c_.batch();
    for (const Entry& entry : group) {
      const float* z = reverse_kinks_[k].data() + entry.row * size;
      masks.values[k].insert(masks.values[k].end(), z, z + size);
    }
  }
  for (std::size_t k = 0; k < kinks_.size(); ++k) {
    masks.observed.push_back({kinks_[k], masks.values[k]});
  }
  return true;
}

}  // namespace ulpfuzz::properties
