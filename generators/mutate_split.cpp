#include <algorithm>

#include "index_range.hpp"
#include "mutate_families.hpp"

namespace ulpfuzz::generators {
namespace {

using Split = std::vector<Slice>;
using Rows = std::vector<std::uint32_t>;

struct Cutter {
  Split& split;
  std::uint32_t batch;
  Source& source;

  Slice& any() { return split[source.below(split.size())]; }
  std::size_t place() { return source.below(split.size()); }
  auto iterator(std::size_t i) { return split.begin() + static_cast<std::ptrdiff_t>(i); }
};

// A row goes from the end of a slice to the begin of the next, or back.
void move(Cutter& c) {
  if (c.split.size() < 2) return;
  const std::size_t i = c.source.below(c.split.size() - 1);
  Rows &a = c.split[i].rows, &b = c.split[i + 1].rows;
  if (c.source.chance(50) ? a.empty() : !b.empty()) {
    if (b.empty()) return;
    a.push_back(b.front());
    b.erase(b.begin());
  } else if (!a.empty()) {
    b.insert(b.begin(), a.back());
    a.pop_back();
  }
}

void merge(Cutter& c) {
  if (c.split.size() < 2) return;
  const std::size_t i = c.source.below(c.split.size() - 1);
  Rows &a = c.split[i].rows, &b = c.split[i + 1].rows;
  a.insert(a.end(), b.begin(), b.end());
  c.split.erase(c.iterator(i + 1));
}

void divide(Cutter& c) {
  const std::size_t i = c.place();
  Slice& slice = c.split[i];
  if (slice.rows.size() < 2) return;
  const std::size_t n = slice.rows.size();
  const std::uint64_t kind = c.source.below(4);
  const std::size_t at = kind == 0 ? 1 : kind == 1 ? n - 1 : 1 + c.source.below(n - 1);
  const auto middle = slice.rows.begin() + static_cast<std::ptrdiff_t>(at);
  Slice rest{Rows(middle, slice.rows.end()), slice.padding};
  slice.rows.erase(middle, slice.rows.end());
  c.split.insert(c.iterator(i + 1), std::move(rest));
}

void duplicate(Cutter& c) {
  const std::size_t i = c.place();
  Slice copy = c.split[i];
  c.split.insert(c.iterator(c.place()), std::move(copy));
}

void drop(Cutter& c) {
  if (c.split.size() > 1) c.split.erase(c.iterator(c.place()));
}

void insert_empty(Cutter& c) {
  c.split.insert(c.iterator(c.source.below(c.split.size() + 1)), Slice{});
}

void end_alone(Cutter& c) {
  if (c.batch < 2) return;
  const std::uint32_t at = c.source.chance(50) ? 1 : c.batch - 1;
  c.split = {Slice{index_range(0, at), 0}, Slice{index_range(at, c.batch), 0}};
}

void reorder(Cutter& c) {
  Rows& rows = c.any().rows;
  if (rows.size() < 2) return;
  if (c.source.chance(40)) {
    std::ranges::reverse(rows);
    return;
  }
  std::swap(rows[c.source.below(rows.size())], rows[c.source.below(rows.size())]);
}

void exchange(Cutter& c) {
  Rows &a = c.any().rows, &b = c.any().rows;
  if (a.empty() || b.empty()) return;
  std::swap(a[c.source.below(a.size())], b[c.source.below(b.size())]);
}

void replace_row(Cutter& c) {
  Rows& rows = c.any().rows;
  if (rows.empty()) return;
  rows[c.source.below(rows.size())] = static_cast<std::uint32_t>(c.source.below(c.batch));
}

// To a multiple of what kernels are tiled by, to one more, or none.
void pad(Cutter& c) {
  Slice& slice = c.any();
  const std::uint32_t multiple = std::uint32_t{1} << (1 + c.source.below(5));
  const auto rows = static_cast<std::uint32_t>(slice.rows.size());
  const std::uint32_t to_multiple = (multiple - rows % multiple) % multiple;
  const std::uint64_t kind = c.source.below(4);
  slice.padding = kind == 0 ? 0 : kind == 1 ? std::min(slice.padding + 1, 32u) : to_multiple;
}

void shorten(Cutter& c) {
  Rows& rows = c.any().rows;
  if (rows.size() < 2) return;
  const auto last = rows.begin() + static_cast<std::ptrdiff_t>(1 + c.source.below(rows.size() - 1));
  rows.erase(last, rows.end());
}

using Change = void (*)(Cutter&);
constexpr Change changes[]{move,      move,        merge,        divide,    divide,
                           duplicate, drop,        insert_empty, end_alone, reorder,
                           exchange,  replace_row, pad,          shorten};

}  // namespace

Case changed_split(const Case& c, Source& source, const Limits&) {
  Case result = c;
  if (result.split.empty()) result.split.emplace_back();
  Cutter cutter{result.split, static_cast<std::uint32_t>(c.batch()), source};
  changes[source.below(std::size(changes))](cutter);
  return result;
}

Case changed_layout(const Case& c, Source& source, const Limits&) {
  Case result = c;
  const auto offset = [&] { return static_cast<std::uint8_t>(source.below(16)); };
  const std::uint64_t kind = source.below(4);
  if (kind != 0) result.layout.slice_offset = offset();
  if (kind != 1) result.layout.batch_offset = offset();
  if (kind == 3) result.layout.slice_offset = result.layout.batch_offset;
  return result;
}

}  // namespace ulpfuzz::generators
