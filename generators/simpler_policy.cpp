#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cost.hpp"
#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

template <class Alter>
void offer(Edits& edits, const Case& c, std::string name, Alter alter) {
  edits.push_back({std::move(name), [&c, alter] {
                     Case result = c;
                     alter(result);
                     return result;
                   }});
}

void no_padding(Case& c) {
  for (Slice& slice : c.split) slice.padding = 0;
}

void sort_rows(Case& c) {
  for (Slice& slice : c.split) std::ranges::sort(slice.rows);
  std::ranges::sort(c.split, {}, &Slice::rows);
}

bool rows_in_order(const Case& c) {
  const auto in_order = [](const Slice& s) { return std::ranges::is_sorted(s.rows); };
  return std::ranges::all_of(c.split, in_order) &&
         std::ranges::is_sorted(c.split, {}, &Slice::rows);
}

// Of numbers below `n`: 0, those of more alignment, one less.
std::vector<std::uint8_t> smaller_offsets(std::uint8_t n) {
  std::vector<std::uint8_t> offsets;
  for (const int offset : {0, 1, 8, 4, 2, n / 2, n - 1}) {
    if (offset >= 0 && offset < n && std::ranges::count(offsets, offset) == 0)
      offsets.push_back(static_cast<std::uint8_t>(offset));
  }
  return offsets;
}

}  // namespace

void simple_policy(const Case& c, const Focus&, Edits& edits) {
  if (c.cotangents.cols > 0)
    offer(edits, c, "no cotangents", [](Case& d) { d.cotangents = Tensor(); });
  if (c.layout != Layout{}) offer(edits, c, "aligned buffers", [](Case& d) { d.layout = {}; });
  if (std::ranges::any_of(c.split, [](const Slice& s) { return s.padding > 0; }))
    offer(edits, c, "no padding", no_padding);
  if (rows_in_order(c)) return;
  Case sorted;
  sorted.split = c.split;
  sort_rows(sorted);
  if (split_cost(sorted.split, c.batch()) < split_cost(c.split, c.batch()))
    offer(edits, c, "slices and rows in order", sort_rows);
}

void simpler_layout(const Case& c, const Focus&, Edits& edits) {
  for (const std::uint8_t offset : smaller_offsets(c.layout.batch_offset)) {
    offer(edits, c, fmt::format("batch buffers at {} of 16", offset),
          [offset](Case& d) { d.layout.batch_offset = offset; });
  }
  for (const std::uint8_t offset : smaller_offsets(c.layout.slice_offset)) {
    offer(edits, c, fmt::format("slice buffers at {} of 16", offset),
          [offset](Case& d) { d.layout.slice_offset = offset; });
  }
}

}  // namespace ulpfuzz::generators
