#include <fmt/format.h>

#include <algorithm>

#include "cost.hpp"
#include "edits.hpp"
#include "index_range.hpp"

namespace ulpfuzz::generators {
namespace {

using Split = std::vector<Slice>;

/// Rows first .. last - 1, in order.
struct Range {
  std::uint32_t first, last;
};

template <class Alter>
void offer(const Case& c, std::string name, Edits& edits, Alter alter) {
  edits.push_back({std::move(name), [&c, alter] {
                     Case result = c;
                     alter(result);
                     return result;
                   }});
}

Split slices(const std::vector<Range>& ranges) {
  Split split;
  for (const Range& range : ranges) split.push_back({index_range(range.first, range.last), 0});
  return split;
}

// What split_cost() gives for slices(ranges).
SplitCost cost(const std::vector<Range>& ranges, std::size_t batch) {
  SplitCost cost{batch, ranges.size(), 0, 0, batch, batch, 0};
  bool any = false;
  std::uint32_t expected = 0;
  std::uint64_t evaluated = 0;
  for (const auto [first, last] : ranges) {
    const std::uint64_t rows = last - first;
    cost[2] += rows == 0 ? 2 : rows;
    cost[3] += rows > 0 && any && first != expected ? 1 : 0;
    cost[5] = std::min(cost[5], rows);
    any = any || rows > 0;
    expected = last;
    evaluated += rows;
  }
  cost[0] = std::max(cost[0], evaluated);
  return cost;
}

class Forms {
 public:
  Forms(const Case& c, Edits& edits) : c_(c), edits_(edits), now_(split_cost(c.split, c.batch())) {}

  void offer_ranges(std::string name, std::vector<Range> ranges) {
    if (cost(ranges, c_.batch()) >= now_) return;
    offer(c_, std::move(name), edits_,
          [ranges = std::move(ranges)](Case& d) { d.split = slices(ranges); });
  }

 private:
  const Case& c_;
  Edits& edits_;
  SplitCost now_;
};

void usual_forms(const Case& c, std::int64_t focus, Edits& edits) {
  const auto n = static_cast<std::uint32_t>(c.batch());
  if (n == 0) return;
  Forms forms(c, edits);
  if (focus >= 0 && focus < n) {
    const auto row = static_cast<std::uint32_t>(focus);
    forms.offer_ranges(fmt::format("one slice: row {}", row), {{row, row + 1}});
  }
  if (focus != 0) forms.offer_ranges("one slice: the first row", {{0, 1}});
  if (n == 1) return;
  if (focus + 1 != n) forms.offer_ranges("one slice: the last row", {{n - 1, n}});
  forms.offer_ranges("one slice: all rows", {{0, n}});
  forms.offer_ranges("one slice: all but the last row", {{0, n - 1}});
  forms.offer_ranges("slices 1|1", {{0, 1}, {1, 2}});
  if (n == 2) return;
  forms.offer_ranges("slices 1|n-1", {{0, 1}, {1, n}});
  forms.offer_ranges("slices n-1|1", {{0, n - 1}, {n - 1, n}});
  forms.offer_ranges("slices: halves", {{0, n / 2}, {n / 2, n}});
}

std::size_t largest_call(const Case& c) {
  std::size_t largest = c.batch();
  for (const Slice& s : c.split) largest = std::max(largest, s.rows.size() + s.padding);
  return largest;
}

void single_slices(const Case& c, Edits& edits) {
  constexpr std::uint32_t few = 64;
  const auto count = static_cast<std::uint32_t>(c.split.size());
  if (count < 2) return;
  for (std::uint32_t s = 0; s < std::min(count, few); ++s) {
    offer(c, fmt::format("only slice {}", s), edits, [s](Case& d) { d.split = Split{d.split[s]}; });
  }
  chunks(count, 16, few, [&](std::uint32_t first, std::uint32_t last) {
    offer(
        c, fmt::format("drop slices {}..{} of {}", first, last - 1, count), edits,
        [first, last](Case& d) { d.split.erase(d.split.begin() + first, d.split.begin() + last); });
  });
  for (std::uint32_t s = 0; s + 1 < std::min(count, few); ++s) {
    offer(c, fmt::format("merge slices {} and {}", s, s + 1), edits, [s](Case& d) {
      auto& into = d.split[s].rows;
      into.insert(into.end(), d.split[s + 1].rows.begin(), d.split[s + 1].rows.end());
      d.split.erase(d.split.begin() + s + 1);
    });
  }
}

void shorter_slices(const Case& c, Edits& edits) {
  for (std::size_t s = 0; s < c.split.size() && s < 16; ++s) {
    const auto n = static_cast<std::uint32_t>(c.split[s].rows.size());
    chunks(n, 8, 32, [&](std::uint32_t first, std::uint32_t last) {
      offer(c, fmt::format("drop {}..{} of the {} of slice {}", first, last - 1, n, s), edits,
            [s, first, last](Case& d) {
              auto& rows = d.split[s].rows;
              rows.erase(rows.begin() + first, rows.begin() + last);
            });
    });
  }
}

void less_padding(const Case& c, Edits& edits) {
  for (std::size_t s = 0; s < c.split.size() && s < 16; ++s) {
    const std::uint32_t n = c.split[s].padding;
    const auto set = [&](std::uint32_t padding) {
      offer(c, fmt::format("padding of slice {} from {} to {}", s, n, padding), edits,
            [s, padding](Case& d) { d.split[s].padding = padding; });
    };
    if (n > 0) set(0);
    for (const std::uint32_t padding : smaller_sizes(n)) set(padding);
  }
}

// The batch grows to the rows of the largest call, by copies of its last row: a call of that size
// then needs no padding, and no row that is named twice.
void padding_to_rows(const Case& c, Edits& edits) {
  const auto n = static_cast<std::uint32_t>(c.batch());
  const SplitCost now = split_cost(c.split, n);
  const std::uint64_t largest = largest_call(c);
  if (n == 0 || largest <= n || largest > 0xffffffffu) return;
  const auto most = static_cast<std::uint32_t>(largest);
  const auto grow = [most, n](Case& d) {
    auto rows = index_range(0, most);
    std::fill(rows.begin() + n, rows.end(), n - 1);
    d.split.clear();
    d = select_rows(d, rows);
  };
  offer(c, "padding -> rows of the batch, one slice: the first row", edits, [grow](Case& d) {
    grow(d);
    d.split = slices({{0, 1}});
  });
  offer(c, "padding -> rows of the batch, one slice: the last row", edits, [grow, most](Case& d) {
    grow(d);
    d.split = slices({{most - 1, most}});
  });
  if (now[1] == 1 && now[2] == largest) return;
  offer(c, "padding -> rows of the batch, one slice: all rows", edits, [grow, most](Case& d) {
    grow(d);
    d.split = slices({{0, most}});
  });
}

// A row that several slices name becomes several rows: the slices have the batch in order.
void named_rows_to_rows(const Case& c, Edits& edits) {
  std::vector<Range> ranges;
  std::uint32_t total = 0;
  for (const Slice& slice : c.split) {
    const auto rows = static_cast<std::uint32_t>(slice.rows.size());
    ranges.push_back({total, total + rows});
    total += rows;
  }
  if (total == 0 || cost(ranges, total) >= split_cost(c.split, c.batch())) return;
  offer(c, "rows in slices -> the batch, in order", edits, [](Case& d) {
    std::vector<std::uint32_t> rows;
    std::vector<Range> in_order;
    for (const Slice& slice : d.split) {
      const auto first = static_cast<std::uint32_t>(rows.size());
      rows.insert(rows.end(), slice.rows.begin(), slice.rows.end());
      in_order.push_back({first, static_cast<std::uint32_t>(rows.size())});
    }
    d.split.clear();
    d = select_rows(d, rows);
    d.split = slices(in_order);
  });
}

}  // namespace

void simpler_splits(const Case& c, const Focus& focus, Edits& edits) {
  padding_to_rows(c, edits);
  named_rows_to_rows(c, edits);
  usual_forms(c, focus.row, edits);
  single_slices(c, edits);
  shorter_slices(c, edits);
  less_padding(c, edits);
}

}  // namespace ulpfuzz::generators
