#include <fmt/format.h>

#include <algorithm>

#include "cost.hpp"
#include "edits.hpp"
#include "index_range.hpp"

namespace ulpfuzz::generators {
namespace {

using Split = std::vector<Slice>;

void offer(const Case& c, std::string name, Split split, Edits& edits) {
  if (split_cost(split) >= split_cost(c.split)) return;
  edits.push_back({std::move(name), [&c, split = std::move(split)] {
                     Case result = c;
                     result.split = split;
                     return result;
                   }});
}

Slice range(std::uint32_t first, std::uint32_t last) {
  Slice slice;
  slice.rows = index_range(first, last);
  return slice;
}

void usual_forms(const Case& c, std::int64_t focus, Edits& edits) {
  const auto n = static_cast<std::uint32_t>(c.batch());
  if (n == 0) return;
  if (focus >= 0 && focus < n) {
    const auto row = static_cast<std::uint32_t>(focus);
    offer(c, fmt::format("one slice: row {}", row), {range(row, row + 1)}, edits);
  }
  offer(c, "one slice: the first row", {range(0, 1)}, edits);
  offer(c, "one slice: the last row", {range(n - 1, n)}, edits);
  offer(c, "one slice: all but the last row", {range(0, n - 1)}, edits);
  offer(c, "one slice: all rows", {range(0, n)}, edits);
  offer(c, "slices 1|n-1", {range(0, 1), range(1, n)}, edits);
  offer(c, "slices n-1|1", {range(0, n - 1), range(n - 1, n)}, edits);
  offer(c, "slices: halves", {range(0, n / 2), range(n / 2, n)}, edits);
}

void whole_split(const Case& c, Edits& edits) {
  Split sorted = c.split, bare = c.split;
  for (Slice& slice : sorted) std::ranges::sort(slice.rows);
  std::ranges::sort(sorted, {}, &Slice::rows);
  for (Slice& slice : bare) slice.padding = 0;
  offer(c, "no padding", std::move(bare), edits);
  Split full = c.split;
  std::erase_if(full, [](const Slice& slice) { return slice.rows.empty(); });
  if (!full.empty()) offer(c, "no empty slices", std::move(full), edits);
  offer(c, "slices and rows in order", std::move(sorted), edits);
}

void single_slices(const Case& c, Edits& edits) {
  const auto count = static_cast<std::uint32_t>(c.split.size());
  for (std::uint32_t s = 0; count > 1 && s < count; ++s) {
    offer(c, fmt::format("only slice {}", s), {c.split[s]}, edits);
  }
  chunks(count, 16, [&](std::uint32_t first, std::uint32_t last) {
    Split rest = c.split;
    rest.erase(rest.begin() + first, rest.begin() + last);
    if (!rest.empty()) {
      offer(c, fmt::format("drop slices {}..{}", first, last - 1), std::move(rest), edits);
    }
  });
  for (std::uint32_t s = 0; s + 1 < count && count <= 16; ++s) {
    Split merged = c.split;
    auto& into = merged[s].rows;
    into.insert(into.end(), merged[s + 1].rows.begin(), merged[s + 1].rows.end());
    merged.erase(merged.begin() + s + 1);
    offer(c, fmt::format("merge slices {} and {}", s, s + 1), std::move(merged), edits);
  }
}

void shorter_slices(const Case& c, Edits& edits) {
  for (std::size_t s = 0; s < c.split.size() && s < 8; ++s) {
    const auto n = static_cast<std::uint32_t>(c.split[s].rows.size());
    chunks(n, 8, [&](std::uint32_t first, std::uint32_t last) {
      Split split = c.split;
      auto& rows = split[s].rows;
      rows.erase(rows.begin() + first, rows.begin() + last);
      offer(c, fmt::format("drop {}..{} of slice {}", first, last - 1, s), std::move(split), edits);
    });
  }
}

void layouts(const Case& c, Edits& edits) {
  const auto set = [&](std::string name, Layout layout) {
    if (layout == c.layout) return;
    edits.push_back({std::move(name), [&c, layout] {
                       Case result = c;
                       result.layout = layout;
                       return result;
                     }});
  };
  set("aligned buffers", {0, 0});
  if (c.layout.batch_offset == 0 || c.layout.slice_offset == 0) return;
  set("batch buffers aligned", {0, c.layout.slice_offset});
  set("slice buffers aligned", {c.layout.batch_offset, 0});
}

}  // namespace

void simpler_split(const Case& c, const Focus& focus, Edits& edits) {
  usual_forms(c, focus.row, edits);
  single_slices(c, edits);
  whole_split(c, edits);
  shorter_slices(c, edits);
  layouts(c, edits);
}

}  // namespace ulpfuzz::generators
