#include "ulpfuzz/search/pool.hpp"

#include <algorithm>
#include <cmath>

#include "feature_groups.hpp"
#include "ulpfuzz/generators/mutate.hpp"

namespace ulpfuzz::search {
namespace {

constexpr std::size_t most_bytes = 128 << 10;  // of a kept case
constexpr double floor_of_a_way = 0.12;        // part of the cases that each way gets at least
constexpr double fading = 1.0 / 256;           // weight of the latest case in a yield
constexpr unsigned crossing = 12;              // of a hundred climbed cases
constexpr auto first_op = static_cast<std::size_t>(Op::linear);
static_assert(static_cast<std::size_t>(Op::rms_norm) - first_op + 1 == Heights::ops);

std::size_t bytes_of(const Case& c) {
  std::size_t floats = c.cotangents.data.size();
  for (const Tensor& t : c.parameters) floats += t.data.size();
  for (const Tensor& t : c.inputs) floats += t.data.size();
  std::size_t rows = 0;
  for (const Slice& s : c.split) rows += s.rows.size() + 1;
  return 4 * (floats + rows) + 64 * c.network.nodes().size();
}

std::size_t size_of(const Case& c) {
  return (c.batch() > 8 ? 2 : 0) + (width(c.network) > 16 ? 1 : 0);
}

std::array<bool, Heights::ops> ops_of(const Case& c) {
  std::array<bool, Heights::ops> has{};
  for (const Node& node : c.network.nodes()) {
    const std::size_t op = static_cast<std::size_t>(node.op) - first_op;
    if (op < Heights::ops) has[op] = true;
  }
  return has;
}

std::size_t by_chance(const Verdict& verdict) {
  return verdict.worst.tier == Tier::probabilistic ? 1 : 0;
}

/// Calls f(cell) for each cell that the case is for.
template <class F>
void for_cells(const Case& c, const Verdict& verdict, const F& f) {
  const auto has = ops_of(c);
  const std::size_t size = size_of(c), tier = by_chance(verdict);
  for (std::size_t op = 0; op < Heights::ops; ++op)
    if (has[op]) f((tier * Heights::ops + op) * Heights::sizes + size);
}

double part_climbing(const Heights& h) {
  const double drawn = h.yield[0], climbed = h.yield[1];
  const double part = drawn + climbed > 0 ? climbed / (drawn + climbed) : 0.5;
  return std::clamp(part, floor_of_a_way, 1 - floor_of_a_way);
}

/// How promising a cell is: far up, risen by its offspring, not tried in vain for long, and not
/// where only a failure is higher.
double promise(const Heights::Cell& cell) {
  if (cell.share == 0) return 0;
  const double height = std::exp2(static_cast<double>(cell.level) / 4);
  const double luck = (static_cast<double>(cell.rose) + 1) / (static_cast<double>(cell.tried) + 16);
  return height * luck * (cell.level >= level(0.9) ? 0.05 : 1);
}

}  // namespace

Pool::Pool() : own_(std::make_unique<Heights>()), heights_(own_.get()) {}

std::size_t Pool::size() const {
  return static_cast<std::size_t>(
      std::count_if(heights_->cells.begin(), heights_->cells.end(),
                    [](const Heights::Cell& cell) { return cell.share > 0; }));
}

/// A rise counts the more, the higher: low cells are easily drawn.
void Pool::settle(double rise) {
  ++heights_->offered;
  if (!given_) return;
  given_ = false;
  double& yield = heights_->yield[parent_ ? 1 : 0];
  yield += fading * (rise - yield);
  if (!parent_) return;
  Heights::Cell& parent = heights_->cells[*parent_];
  ++parent.tried;
  if (rise > 0) ++parent.rose;
}

/// True if the cell rises by a mark.
bool Pool::keep(std::size_t i, const std::shared_ptr<const Case>& c, double share) {
  Heights::Cell& cell = heights_->cells[i];
  const unsigned before = cell.level;
  cell.share = share;
  cell.level = level(share);
  const bool rises = cell.level > before;
  cell.fresh = cell.fresh || rises;
  if (store_ != nullptr) store_->put(*c, cell);
  values_[i] = c;
  return rises;
}

bool Pool::offer(const Case& c, const Verdict& verdict) {
  bool rose = false;
  if (verdict.outcome == Outcome::pass && level(verdict.share) > 0 && bytes_of(c) <= most_bytes) {
    std::shared_ptr<const Case> kept;
    for_cells(c, verdict, [&](std::size_t i) {
      if (verdict.share <= heights_->cells[i].share) return;
      if (!kept) kept = std::make_shared<const Case>(c);
      rose = keep(i, kept, verdict.share) || rose;
    });
  }
  settle(rose ? std::sqrt(verdict.share) : 0);
  return rose;
}

std::optional<std::size_t> Pool::choose(generators::Source& source) const {
  std::array<double, Heights::most_cells> upto;
  double all = 0;
  for (std::size_t i = 0; i < upto.size(); ++i) upto[i] = all += promise(heights_->cells[i]);
  if (all == 0) return std::nullopt;
  const double at = all * static_cast<double>(source.next() >> 11) * 0x1p-53;
  const auto found = std::upper_bound(upto.begin(), upto.end(), at);
  return std::min(static_cast<std::size_t>(found - upto.begin()), upto.size() - 1);
}

const Case* Pool::value(std::size_t i) {
  if (!values_[i] && store_ != nullptr)
    if (auto kept = store_->get(heights_->cells[i]))
      values_[i] = std::make_shared<const Case>(std::move(*kept));
  return values_[i].get();
}

Case Pool::changed(const Case& parent, generators::Source& source,
                   const generators::Limits& limits) {
  if (source.chance(crossing))
    if (const auto other = choose(source))
      if (const Case* second = value(*other))
        // A copy: a case that is crossed with itself tells that by its address, which two cells may
        // share here, and would not in whoever goes on.
        return generators::crossed(parent, Case(*second), source, limits);
  return generators::mutated(parent, source, limits);
}

Case Pool::next(generators::Source& source, const generators::Limits& limits) {
  given_ = true;
  parent_.reset();
  const auto part = static_cast<unsigned>(std::lround(1000 * part_climbing(*heights_)));
  if (source.below(1000) < part)
    if (const auto i = choose(source))
      if (const Case* parent = value(*i)) {
        parent_ = i;
        return changed(*parent, source, limits);
      }
  return generators::draw_case(source, limits);
}

}  // namespace ulpfuzz::search
