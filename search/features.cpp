#include "ulpfuzz/search/features.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "feature_groups.hpp"

namespace ulpfuzz::search {
namespace {

constexpr int first_octave = -12;
constexpr std::size_t looked_at = 256;  // values of a tensor: enough to meet what is not rare

void mark(std::vector<std::uint32_t>& marks, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) marks.push_back(first + i);
}

/// The same places whatever the values; all of a small tensor.
void note_values(const Tensor& t, std::array<bool, value_classes>& seen) {
  const std::size_t step = std::max<std::size_t>(1, t.data.size() / looked_at);
  for (std::size_t i = 0; i < t.data.size(); i += step)
    seen[static_cast<std::size_t>(value_class(t.data[i]))] = true;
}

void mark_values(std::vector<std::uint32_t>& marks, std::span<const Tensor> tensors, bool inputs) {
  std::array<bool, value_classes> seen{};
  for (const Tensor& t : tensors) note_values(t, seen);
  for (std::uint32_t v = 0; v < value_classes; ++v)
    if (seen[v]) marks.push_back(value_feature(static_cast<ValueClass>(v), inputs));
}

bool in_order(const Case& c) {
  std::uint32_t next = 0;
  for (const Slice& slice : c.split)
    for (const std::uint32_t row : slice.rows)
      if (row != next++) return false;
  return true;
}

bool repeats(const Case& c) {
  std::vector<bool> met(c.batch());
  for (const Slice& slice : c.split)
    for (const std::uint32_t row : slice.rows) {
      if (met[row]) return true;
      met[row] = true;
    }
  return false;
}

void mark_split(std::vector<std::uint32_t>& marks, const Case& c) {
  const auto note = [&](Split s) { marks.push_back(split_feature(s)); };
  const auto any = [&](const auto& is) { return std::any_of(c.split.begin(), c.split.end(), is); };
  std::size_t rows = 0;
  for (const Slice& s : c.split) rows += s.rows.size();
  const bool all_single = std::all_of(c.split.begin(), c.split.end(),
                                      [](const Slice& s) { return s.rows.size() == 1; });
  if (c.split.size() == 1) note(rows == c.batch() ? Split::whole : Split::part);
  if (c.split.size() > 1 && all_single) note(Split::singles);
  if (c.split.size() == 2) {
    const std::size_t a = c.split[0].rows.size(), b = c.split[1].rows.size();
    if (std::min(a, b) == 1 && !all_single) note(Split::one_and_rest);
    if (a > 1 && (a > b ? a - b : b - a) <= 1) note(Split::halves);
  }
  if (c.split.size() > 2 && !all_single) note(Split::several);
  if (any([](const Slice& s) { return s.rows.empty(); })) note(Split::empty_slice);
  if (any([](const Slice& s) { return s.padding > 0; })) note(Split::padding);
  const bool again = repeats(c);
  if (again) note(Split::repeated);
  if (!again && rows < c.batch()) note(Split::incomplete);
  if (!again && rows == c.batch() && !in_order(c)) note(Split::unsorted);
}

/// As alignment_feature() has it.
std::uint32_t alignment(std::size_t n) {
  if (n <= 1) return 0;
  return 1 + std::min<std::uint32_t>(4, static_cast<std::uint32_t>(std::countr_zero(n)));
}

void mark_sizes(std::vector<std::uint32_t>& marks, const Case& c) {
  const Product p = largest_product(c);
  if (p.m == 0 || p.n == 0 || p.k == 0) return;
  marks.push_back(alignment_feature(alignment(p.m), alignment(p.n), alignment(p.k)));
}

}  // namespace

unsigned level(double share) {
  if (!(share >= std::ldexp(1.0, first_octave))) return 0;
  if (share >= 16) return levels;
  const double place = 4 * (std::log2(share) - first_octave);
  return std::min(levels, static_cast<unsigned>(place) + 1);
}

std::vector<std::uint32_t> features(const Case& c, const Verdict& verdict, bool gradient) {
  std::vector<std::uint32_t> marks;
  marks.reserve(192);
  const unsigned height = verdict.failed() || verdict.outcome == Outcome::pass
                              ? level(verdict.share)
                              : 0;  // elsewhere the share says nothing
  const TierKind tier = tier_kind(verdict);
  const std::uint32_t op = op_number(c, verdict);
  mark(marks, share_marks(gradient, tier), height);
  mark(marks, op_marks(op, tier == TierKind::probabilistic), (height + 1) / 2);
  marks.push_back(octave_feature(op, (height + 3) / 4));
  mark_values(marks, c.parameters, false);
  mark_values(marks, c.inputs, true);
  mark_split(marks, c);
  mark_sizes(marks, c);
  marks.push_back(sizes.first + size_class(c));
  return marks;
}

std::uint32_t size_class(const Case& c) {
  const auto step = [](std::size_t n, std::size_t a, std::size_t b,
                       std::size_t d) -> std::uint32_t {
    return n <= a ? 0 : n <= b ? 1 : n <= d ? 2 : 3;
  };
  const std::uint32_t batch = step(c.batch(), 1, 8, 32);
  const std::uint32_t wide = step(width(c.network), 4, 16, 64);
  const std::uint32_t deep = step(depth(c.network), 1, 2, 4);
  return (batch * 4 + wide) * 4 + deep;
}

}  // namespace ulpfuzz::search
