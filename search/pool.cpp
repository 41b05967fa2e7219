#include "ulpfuzz/search/pool.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "feature_groups.hpp"
#include "ulpfuzz/generators/mutate.hpp"

namespace ulpfuzz::search {
namespace {

constexpr std::size_t most_bytes = 128 << 10;  // of a kept case
constexpr double floor_of_a_way = 0.12;        // part of the cases that each way gets at least
constexpr double fading = 1.0 / 256;           // weight of the latest case in a yield
constexpr unsigned crossing_usual = 12;        // of a hundred climbed cases

double knob(const char* name, double usual) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : usual;
}

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
  const auto tier = static_cast<std::uint32_t>(tier_kind(verdict));
  return 1 + (tier * op_numbers + op_number(c, verdict)) * size_classes + size_class(c);
}

double part_climbing(const Heights& h) {
  const double drawn = h.yield[0], climbed = h.yield[1];
  const double part = drawn + climbed > 0 ? climbed / (drawn + climbed) : 0.5;
  static const double lo = knob("K_LO", floor_of_a_way);
  return std::clamp(part, lo, 1 - floor_of_a_way);
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
  static const auto s1 = static_cast<std::size_t>(knob("K_S1", 8)),
                    s2 = static_cast<std::size_t>(knob("K_S2", 24));
  const std::size_t tier = (key - 1) / size_classes / op_numbers;
  const std::array<std::size_t, 4> ends{0, s1, s2, Heights::most_cells};
  Heights::Cell* lowest = nullptr;
  for (std::size_t i = ends[tier]; i < ends[tier + 1]; ++i) {
    Heights::Cell& cell = heights_->cells[i];
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
  static const bool retest = knob("K_RETEST", 1) > 0;
  cell.unsure =
      retest && !doubting_ && (cell.key - 1) / size_classes / op_numbers == 2 && share > 0.05;
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
  static const double fade = knob("K_FADE", 0);
  if (rise > 0) {
    ++parent.rose;
    if (fade > 0) parent.tried = 0, parent.rose = 1;
  }
}

std::optional<std::size_t> Pool::doubted() const {
  for (std::size_t i = 0; i < Heights::most_cells; ++i)
    if (heights_->cells[i].key != 0 && heights_->cells[i].unsure) return i;
  return std::nullopt;
}

/// The cell keeps the case with other low bits, and is as high as that.
bool Pool::settle_doubt(const Case& c, const Verdict& verdict) {
  ++heights_->offered;
  Heights::Cell& cell = heights_->cells[*parent_];
  cell.unsure = false;
  given_ = false;
  const bool usable = verdict.outcome == Outcome::pass && key_of(c, verdict) == cell.key;
  if (usable)
    keep(cell, c, verdict.share);
  else
    cell.share /= 2, cell.level = level(cell.share);
  doubting_ = false;
  return false;
}

bool Pool::offer(const Case& c, const Verdict& verdict) {
  if (given_ && doubting_) return settle_doubt(c, verdict);
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
  static const double low = knob("K_LOW", 1), window = knob("K_WINDOW", 8);
  unsigned most = 0;
  for (const Heights::Cell& other : heights_->cells)
    if (other.key != 0 &&
        (other.key - 1) / size_classes / op_numbers == (key - 1) / size_classes / op_numbers)
      most = std::max(most, other.level);
  settle(!rises ? 0 : height + window >= most ? 1 : low);
  if (opens) *cell = {.key = key, .at = cell->at, .room = cell->room};
  if (cell == nullptr || verdict.share <= cell->share) return false;
  if (rises) cell->since = heights_->offered;
  keep(*cell, c, verdict.share);
  return rises;
}

/// How promising a cell is: far up, risen by its offspring, not tried in vain for long, and not
/// where only a failure is higher.
double Pool::promise(const Heights::Cell& cell) const {
  static const double alpha = knob("K_ALPHA", 1), top = knob("K_TOP", 0.05),
                      prior = knob("K_PRIOR", 16), bychance = knob("K_CHANCE", 1);
  double p = std::exp2(alpha * (static_cast<double>(cell.level) - 48) / 4);
  p *= (static_cast<double>(cell.rose) + 1) / (static_cast<double>(cell.tried) + prior);
  if (cell.level >= 48) p *= top;
  if ((cell.key - 1) / size_classes / op_numbers == 2) p *= bychance;
  return p;
}

std::optional<std::size_t> Pool::choose(generators::Source& source) const {
  static const int rounds = static_cast<int>(knob("K_ROUNDS", 0));
  if (rounds > 0) {
    std::optional<std::size_t> best;
    for (int round = 0; round < rounds; ++round) {
      const std::size_t i = source.below(Heights::most_cells);
      const Heights::Cell& cell = heights_->cells[i];
      if (cell.key != 0 && (!best || promise(cell) > promise(heights_->cells[*best]))) best = i;
    }
    return best;
  }
  double all = 0;
  for (const Heights::Cell& cell : heights_->cells) all += cell.key != 0 ? promise(cell) : 0;
  if (all == 0) return std::nullopt;
  double at = all * static_cast<double>(source.next() >> 11) * 0x1p-53;
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < Heights::most_cells; ++i) {
    if (heights_->cells[i].key == 0) continue;
    last = i;
    at -= promise(heights_->cells[i]);
    if (at < 0) break;
  }
  return last;
}

const Case* Pool::value(std::size_t i) {
  if (!values_[i] && store_ != nullptr) values_[i] = store_->get(heights_->cells[i]);
  return values_[i] ? &*values_[i] : nullptr;
}

Case Pool::next(generators::Source& source, const generators::Limits& limits) {
  given_ = true;
  doubting_ = false;
  parent_.reset();
  if (const auto i = doubted())
    if (const Case* value_of = value(*i)) {
      doubting_ = true;
      parent_ = i;
      return generators::with_random_low_bits(*value_of, source.next());
    }
  const auto part = static_cast<unsigned>(std::lround(1000 * part_climbing(*heights_)));
  if (source.below(1000) < part) {
    if (const auto i = choose(source)) {
      if (const Case* value_of = value(*i)) {
        parent_ = i;
        if (source.chance(static_cast<unsigned>(knob("K_CROSS", crossing_usual))))
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
