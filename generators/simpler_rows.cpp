#include <fmt/format.h>

#include <algorithm>

#include "edits.hpp"
#include "index_range.hpp"

namespace ulpfuzz::generators {
namespace {

using Rows = std::vector<std::uint32_t>;

// A slice of a batch may name a row twice or out of order: the batch gets it once, in order.
Rows distinct(Rows rows) {
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

void keep(const Case& c, std::string name, Rows rows, Edits& edits) {
  if (rows.empty() || rows.size() >= c.batch()) return;
  edits.push_back({std::move(name), [&c, rows = std::move(rows)] { return select_rows(c, rows); }});
}

void focus_first(const Case& c, std::int64_t focus, Edits& edits) {
  if (focus < 0 || static_cast<std::size_t>(focus) >= c.batch()) return;
  const auto row = static_cast<std::uint32_t>(focus);
  keep(c, fmt::format("only row {}", row), {row}, edits);
  for (std::size_t s = 0; s < c.split.size(); ++s) {
    if (std::ranges::count(c.split[s].rows, row) == 0) continue;
    keep(c, fmt::format("only the rows of slice {}", s), distinct(c.split[s].rows), edits);
  }
}

}  // namespace

void simpler_rows(const Case& c, const Focus& focus, Edits& edits) {
  const auto batch = static_cast<std::uint32_t>(c.batch());
  focus_first(c, focus.row, edits);
  Rows used;
  for (const Slice& slice : c.split) used.insert(used.end(), slice.rows.begin(), slice.rows.end());
  keep(c, "only rows that a slice has", distinct(std::move(used)), edits);
  for (const std::uint32_t n : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 16u, 17u, 32u, 33u, 64u, 65u}) {
    if (n < batch) keep(c, fmt::format("only the first {} rows", n), index_range(0, n), edits);
  }
  chunks(batch, 16, [&](std::uint32_t first, std::uint32_t last) {
    Rows rows = index_range(0, first);
    const Rows rest = index_range(last, batch);
    rows.insert(rows.end(), rest.begin(), rest.end());
    keep(c, fmt::format("drop rows {}..{} of {}", first, last - 1, batch), std::move(rows), edits);
  });
}

}  // namespace ulpfuzz::generators
