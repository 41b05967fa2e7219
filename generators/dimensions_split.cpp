#include <algorithm>

#include "dimensions_resize.hpp"
#include "index_range.hpp"

namespace ulpfuzz::generators {
namespace {

bool consecutive(const std::vector<std::uint32_t>& rows) {
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i] != rows[i - 1] + 1) return false;
  }
  return !rows.empty();
}

/// Do the slices, as they come, make up the batch?
bool partitions(const std::vector<Slice>& split, std::uint32_t batch) {
  std::uint32_t next = 0;
  for (const Slice& slice : split) {
    if (slice.rows.empty()) continue;
    if (slice.rows.front() != next || !consecutive(slice.rows)) return false;
    next = slice.rows.back() + 1;
  }
  return next == batch;
}

class Resizer {
 public:
  Resizer(std::uint32_t old, std::uint32_t now, bool in_the_middle)
      : old_(old), now_(now), in_the_middle_(in_the_middle) {}

  void resize(std::vector<std::uint32_t>& rows, bool part) const {
    if (rows.empty()) return;
    const bool single = rows.size() == 1 && !part;
    if (consecutive(rows) && !single) {
      const std::uint32_t first = cut(rows.front()), last = cut(rows.back() + 1);
      rows = last > first ? index_range(first, last) : remaining(first);
      return;
    }
    for (std::uint32_t& r : rows) r = row(r);
    std::erase_if(rows, [this](std::uint32_t r) { return r >= now_; });
    if (rows.empty()) rows = remaining(now_);
  }

 private:
  // A place between two rows: the ends stay ends.
  std::uint32_t cut(std::uint32_t place) const {
    if (place == old_) return now_;
    const bool rear = in_the_middle_ && place > old_ / 2;
    if (!rear) return std::min(place, now_);
    return now_ > old_ - place ? now_ - (old_ - place) : 0;
  }
  std::uint32_t row(std::uint32_t r) const {
    const bool rear = in_the_middle_ && r > 0 && 2 * r + 1 > old_;
    if (!rear) return r;
    return now_ > old_ - r ? now_ - (old_ - r) : 0;
  }
  std::vector<std::uint32_t> remaining(std::uint32_t first) const {
    if (now_ == 0) return {};
    return {std::min(first, now_ - 1)};
  }

  std::uint32_t old_, now_;
  bool in_the_middle_;
};

// More slices than that are a matter of time, not of meaning.
constexpr std::uint32_t most_singles = 1024;

}  // namespace

std::vector<Slice> resized_split(const std::vector<Slice>& split, std::uint32_t old,
                                 std::uint32_t now, bool in_the_middle) {
  const bool parts = partitions(split, old);
  const auto is_single = [](const Slice& s) { return s.rows.size() == 1; };
  if (parts && old > 2 && now <= most_singles && std::ranges::all_of(split, is_single)) {
    std::vector<Slice> singles(now, {{0}, split.front().padding});
    for (std::uint32_t r = 0; r < now; ++r) singles[r].rows[0] = r;
    return singles;
  }
  std::vector<Slice> result = split;
  const Resizer resizer(old, now, in_the_middle);
  for (Slice& slice : result) resizer.resize(slice.rows, parts);
  return result;
}

}  // namespace ulpfuzz::generators
