#include "split.hpp"

#include <algorithm>

#include "index_range.hpp"
namespace ulpfuzz::generators {
namespace {

Slice range(std::uint32_t first, std::uint32_t last) {
  Slice slice;
  slice.rows = index_range(first, last);
  return slice;
}

std::vector<Slice> at(std::uint32_t batch, std::uint32_t position) {
  return {range(0, position), range(position, batch)};
}

std::vector<Slice> prefixes(Source& source, std::uint32_t batch) {
  std::vector<Slice> split;
  const std::int64_t count = source.between(2, 5);
  for (std::int64_t i = 0; i < count; ++i) {
    split.push_back(range(0, 1 + static_cast<std::uint32_t>(source.below(batch))));
  }
  std::ranges::sort(split, {}, [](const Slice& s) { return s.rows.size(); });
  return split;
}

void permute(Source& source, std::vector<Slice>& split, std::uint32_t batch) {
  std::vector<std::uint32_t> order = index_range(0, batch);
  for (std::uint32_t i = batch; i > 1; --i) std::swap(order[i - 1], order[source.below(i)]);
  auto next = order.begin();
  for (Slice& slice : split) {
    for (std::uint32_t& row : slice.rows) row = *next++;
  }
}

void add_padding(Source& source, std::vector<Slice>& split) {
  const std::uint32_t multiple = std::uint32_t{2} << source.below(4);
  for (Slice& slice : split) {
    const auto rows = static_cast<std::uint32_t>(slice.rows.size());
    slice.padding = (rows / multiple + 1) * multiple - rows;
  }
}

std::vector<Slice> ragged(Source& source, std::uint32_t batch) {
  return cut(source, batch, 1 + static_cast<std::uint32_t>(source.below(6)));
}

}  // namespace

std::vector<Slice> cut(Source& source, std::uint32_t batch, std::uint32_t cuts) {
  std::vector<std::uint32_t> ends;
  ends.reserve(cuts + 1);
  for (std::uint32_t i = 0; i < cuts && batch > 1; ++i) {
    ends.push_back(1 + static_cast<std::uint32_t>(source.below(batch - 1)));
  }
  ends.push_back(batch);
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<Slice> split(ends.size());
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    split[i] = range(first, ends[i]);
    first = ends[i];
  }
  return split;
}

SplitKind draw_split_kind(Source& source) {
  return static_cast<SplitKind>(source.below(split_kind_count));
}

std::vector<Slice> draw_split(Source& source, SplitKind kind, std::uint32_t batch) {
  if (batch == 0) return {Slice{}};
  switch (kind) {
    case SplitKind::whole:
      break;
    case SplitKind::singles: {
      std::vector<Slice> split(batch);
      for (std::uint32_t r = 0; r < batch; ++r) split[r].rows = {r};
      return split;
    }
    case SplitKind::halves:
      return batch < 2 ? cut(source, batch, 0) : at(batch, batch / 2);
    case SplitKind::last_alone:
      return batch < 2 ? cut(source, batch, 0) : at(batch, batch - 1);
    case SplitKind::first_alone:
      return batch < 2 ? cut(source, batch, 0) : at(batch, 1);
    case SplitKind::ragged:
      return ragged(source, batch);
    case SplitKind::prefixes:
      return prefixes(source, batch);
    case SplitKind::permuted: {
      auto split = ragged(source, batch);
      permute(source, split, batch);
      return split;
    }
    case SplitKind::with_empty: {
      auto split = ragged(source, batch);
      split.insert(split.begin() + static_cast<std::ptrdiff_t>(source.below(split.size() + 1)),
                   Slice{});
      return split;
    }
    case SplitKind::padded: {
      auto split = ragged(source, batch);
      add_padding(source, split);
      return split;
    }
  }
  return cut(source, batch, 0);
}

}  // namespace ulpfuzz::generators
