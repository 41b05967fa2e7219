#include <algorithm>

#include "gradient_judge.hpp"

namespace ulpfuzz::properties {
namespace {

/// Elements that are judged one by one where one of them asks for it.
constexpr std::size_t part_elements = 32;

bounds::RunLimits run_limits(const QuickLimits& l) {
  return {l.lambda, l.share_sound, l.share_tightest, l.comparison};
}

}  // namespace

const float* GradientJudge::loop_values(const Place& p) const {
  return paths_.loop.blocks[p.wrt].data() +
         (p.row * outputs_ + p.column) * paths_.loop.elements[p.wrt];
}

QuickResult GradientJudge::judge_whole(const Block& block) const {
  const Place& p = block.first;
  const std::size_t size = paths_.loop.elements[p.wrt];
  const float* a = loop_values(p);
  const float* b = block.other.blocks[p.wrt].data() + (a - paths_.loop.blocks[p.wrt].data());
  const QuickLimits limits = account_.limits(lambda_, block.comparison, false);
  if (const auto outer = analysis_.outer(p.wrt, block.index)) {
    return bounds::compare(*outer, a, b, run_limits(limits));
  }
  const bounds::OutputBounds bounds = analysis_.entry_output(p.wrt, block.index);
  return judge_quickly(quick_row(a, b, bounds, 0, size), limits);
}

void GradientJudge::judge_parts(const Block& block, const Each& each) {
  Place place = block.first;
  const std::size_t size = paths_.loop.elements[place.wrt];
  const float* a = loop_values(place);
  const float* b =
      block.other.blocks[place.wrt].data() + (a - paths_.loop.blocks[place.wrt].data());
  const auto outer = analysis_.outer(place.wrt, block.index);
  const bounds::OutputBounds bounds = analysis_.entry_output(place.wrt, block.index);
  const std::size_t step = outer ? std::max<std::size_t>(1, outer->cols) : part_elements;
  for (std::size_t from = 0; from < size; from += step) {
    const std::size_t live = std::min(step, size - from);
    const QuickLimits limits = account_.limits(lambda_, block.comparison, false);
    const QuickResult part =
        outer ? bounds::compare(outer->row(from / step), a + from, b + from, run_limits(limits))
              : judge_quickly(quick_row(a + from, b + from, bounds, from, live), limits);
    if (part.passes) {
      account_.add(part);
      continue;
    }
    for (std::size_t i = from; i < from + live; ++i) {
      place.element = static_cast<std::uint32_t>(i);
      each(place, side(bounds, i));
    }
  }
}

void GradientJudge::judge_block(const Block& block, const Each& each) {
  const QuickResult whole = judge_whole(block);
  if (whole.passes) {
    account_.add(whole);
  } else {
    judge_parts(block, each);
  }
}

}  // namespace ulpfuzz::properties
