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

// A split that looks at one row alone looks at the failing one.
Case selected(const Case& c, const Rows& rows, std::int64_t focus) {
  Case result = select_rows(c, rows);
  const bool one = c.split.size() == 1 && c.split[0].rows.size() == 1;
  const auto at = std::ranges::find(rows, focus);
  if (one && at != rows.end())
    result.split = {{{static_cast<std::uint32_t>(at - rows.begin())}, c.split[0].padding}};
  return result;
}

class Kept {
 public:
  Kept(const Case& c, std::int64_t focus, Edits& edits) : c_(c), focus_(focus), edits_(edits) {}

  /// `rows(case)` is made when the edit is applied.
  template <class Make>
  void operator()(std::string name, Make rows) const {
    edits_.push_back(
        {std::move(name), [&c = c_, focus = focus_, rows] { return selected(c, rows(c), focus); }});
  }

 private:
  const Case& c_;
  std::int64_t focus_;
  Edits& edits_;
};

// n rows with the failing one: the first ones where it is among them, else it comes last of them.
Rows first_rows(std::uint32_t n, std::int64_t focus) {
  Rows rows = index_range(0, n);
  if (focus >= n) rows.back() = static_cast<std::uint32_t>(focus);
  return rows;
}

Rows all_but(std::uint32_t first, std::uint32_t last, std::uint32_t n) {
  Rows rows = index_range(0, first);
  const Rows rest = index_range(last, n);
  rows.insert(rows.end(), rest.begin(), rest.end());
  return rows;
}

Rows in_slices(const Case& c) {
  Rows used;
  for (const Slice& slice : c.split) used.insert(used.end(), slice.rows.begin(), slice.rows.end());
  return distinct(std::move(used));
}

void slices_with(const Case& c, std::uint32_t row, const Kept& keep) {
  constexpr std::size_t few = 16;
  for (std::size_t s = 0, found = 0; s < c.split.size() && found < few; ++s) {
    const auto& rows = c.split[s].rows;
    if (rows.size() < 2 || std::ranges::count(rows, row) == 0) continue;
    ++found;
    if (distinct(rows).size() == c.batch()) continue;
    keep(fmt::format("only the rows of slice {}", s),
         [s](const Case& d) { return distinct(d.split[s].rows); });
  }
}

}  // namespace

void fewer_rows(const Case& c, const Focus& focus, Edits& edits) {
  const auto batch = static_cast<std::uint32_t>(c.batch());
  if (batch == 0) return;
  const std::int64_t row = focus.row < batch ? focus.row : -1;
  const Kept keep(c, row, edits);
  if (batch > 1 && row >= 0) {
    keep(fmt::format("only row {}", row),
         [row](const Case&) { return Rows{static_cast<std::uint32_t>(row)}; });
    slices_with(c, static_cast<std::uint32_t>(row), keep);
  }
  if (const auto used = in_slices(c).size(); used > 0 && used < batch)
    keep("only rows that a slice has", in_slices);
  for (const std::uint32_t n : smaller_sizes(batch)) {
    if (n == 1 && row == 0) continue;
    keep(fmt::format("only the first {} rows", n), [n](const Case&) { return index_range(0, n); });
    if (row < n || n == 1) continue;
    keep(fmt::format("{} rows with row {}", n, row),
         [n, row](const Case&) { return first_rows(n, row); });
  }
  chunks(batch, 16, 32, [&](std::uint32_t first, std::uint32_t last) {
    keep(fmt::format("drop rows {}..{} of {}", first, last - 1, batch),
         [first, last, batch](const Case&) { return all_but(first, last, batch); });
  });
  keep("no rows", [](const Case&) { return Rows{}; });
}

}  // namespace ulpfuzz::generators
