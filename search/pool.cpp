#include "ulpfuzz/search/pool.hpp"

#include <algorithm>
#include <cmath>

#include "feature_groups.hpp"
#include "ulpfuzz/generators/mutate.hpp"

namespace ulpfuzz::search {
namespace {

constexpr std::size_t most_bytes = 256 << 10;  // of a kept case
constexpr double floor_of_a_way = 0.12;        // part of the cases that each way gets at least
constexpr double fading = 1.0 / 256;           // weight of the latest case in a yield
constexpr unsigned crossing = 12;              // of a hundred climbed cases

std::size_t bytes_of(const Case& c) {
  std::size_t floats = c.cotangents.data.size();
  for (const Tensor& t : c.parameters) floats += t.data.size();
  for (const Tensor& t : c.inputs) floats += t.data.size();
  std::size_t rows = 0;
  for (const Slice& s : c.split) rows += s.rows.size() + 1;
  return 4 * (floats + rows) + 64 * c.network.nodes().size();
}

/// Never 0: that is a free cell.
std::uint32_t key_of(const Case& c, const Verdict& verdict) {
  return 1 + op_number(c, verdict) * size_classes + size_class(c);
}

double part_climbing(const Heights& h) {
  const double drawn = h.yield[0], climbed = h.yield[1];
  const double part = drawn + climbed > 0 ? climbed / (drawn + climbed) : 0.5;
  return std::clamp(part, floor_of_a_way, 1 - floor_of_a_way);
}

}  // namespace

Pool::Pool() : own_(std::make_unique<Heights>()), heights_(own_.get()) {}

std::size_t Pool::size() const {
  return static_cast<std::size_t>(
      std::count_if(heights_->cells.begin(), heights_->cells.end(),
                    [](const Heights::Cell& cell) { return cell.key != 0; }));
}

Pool::Yield Pool::yield() const {
  return {100 * heights_->yield[0], 100 * heights_->yield[1],
          size() == 0 ? 0 : part_climbing(*heights_)};
}

/// The cell of the key; a free one, or the lowest in its place if it is lower; null otherwise.
Heights::Cell* Pool::place(std::uint32_t key, unsigned height) {
  Heights::Cell* lowest = nullptr;
  for (Heights::Cell& cell : heights_->cells) {
    if (cell.key == key) return &cell;
    if (lowest == nullptr || (lowest->key != 0 && (cell.key == 0 || cell.share < lowest->share)))
      lowest = &cell;
  }
  return lowest->key == 0 || lowest->level < height ? lowest : nullptr;
}

void Pool::keep(Heights::Cell& cell, const Case& c, double share) {
  cell.share = share;
  cell.level = level(share);
  cell.fresh = true;
  values_[static_cast<std::size_t>(&cell - heights_->cells.data())] = c;
  if (store_ != nullptr) store_->put(c, cell);
}

void Pool::settle(double rise) {
  ++heights_->offered;
  if (!given_) return;
  given_ = false;
  const std::size_t way = parent_ ? 1 : 0;
  ++heights_->given[way];
  heights_->yield[way] += fading * (rise - heights_->yield[way]);
  if (!parent_) return;
  Heights::Cell& parent = heights_->cells[*parent_];
  ++parent.tried;
  if (rise > 0) ++parent.rose;
}

bool Pool::offer(const Case& c, const Verdict& verdict) {
  const bool usable = verdict.outcome == Outcome::pass && bytes_of(c) <= most_bytes;
  const unsigned height = usable ? level(verdict.share) : 0;
  if (height == 0) {
    settle(0);
    return false;
  }
  const std::uint32_t key = key_of(c, verdict);
  Heights::Cell* cell = place(key, height);
  const bool opens = cell != nullptr && cell->key != key;
  const bool rises = cell != nullptr && (opens || height > cell->level);
  settle(rises ? 1 : 0);
  if (opens) *cell = {.key = key};
  if (cell == nullptr || verdict.share <= cell->share) return false;
  if (rises) cell->since = heights_->offered;
  keep(*cell, c, verdict.share);
  return rises;
}

std::optional<std::size_t> Pool::choose(generators::Source& source) const {
  std::optional<std::size_t> best;
  for (int round = 0; round < 3; ++round) {
    const std::size_t i = source.below(Heights::most_cells);
    const Heights::Cell& cell = heights_->cells[i];
    if (cell.key != 0 && (!best || cell.share > heights_->cells[*best].share)) best = i;
  }
  return best;
}

const Case* Pool::value(std::size_t i) {
  if (!values_[i] && store_ != nullptr) values_[i] = store_->get(heights_->cells[i]);
  return values_[i] ? &*values_[i] : nullptr;
}

Case Pool::next(generators::Source& source, const generators::Limits& limits) {
  given_ = true;
  parent_.reset();
  const auto part = static_cast<unsigned>(std::lround(1000 * part_climbing(*heights_)));
  if (source.below(1000) < part) {
    if (const auto i = choose(source)) {
      if (const Case* value_of = value(*i)) {
        parent_ = i;
        if (source.chance(crossing))
          if (const auto other = choose(source))
            if (const Case* second = value(*other))
              return generators::crossed(*value_of, *second, source, limits);
        return generators::mutated(*value_of, source, limits);
      }
    }
  }
  return generators::draw_case(source, limits);
}

}  // namespace ulpfuzz::search
