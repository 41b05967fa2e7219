#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "boundary_parts.hpp"
#include "boundary_turn.hpp"
#include "ulpfuzz/generators/dimensions.hpp"

namespace ulpfuzz::shrinking {
namespace {

using generators::Dimension;
using generators::Growth;

/// How often a size that seems to pass next to one that fails is tried again, and how often one
/// that fails: it must do so nearly always with values of some kind, or else its end is a matter of
/// luck.
constexpr std::uint64_t confirmations = 12, repetitions = 4;

/// Values with which a size is tried: whether it fails may depend on them.
const std::array<Growth, 6> draws{{{Growth::Values::varied, true, 1},
                                   {Growth::Values::varied, false, 2},
                                   {Growth::Values::normal, true, 3},
                                   {Growth::Values::normal, false, 4},
                                   {Growth::Values::all_normal, true, 5},
                                   {Growth::Values::all_normal, false, 6}}};

/// The case with a slice of the failing row alone, if none has that row: a property looks at rows
/// of no slice only by chance.
std::optional<Case> aimed(Asker& asker) {
  const Case& c = asker.failing().value;
  const std::int64_t row = focus_of(asker.failing().verdict).row;
  if (row < 0 || static_cast<std::size_t>(row) >= c.batch()) return std::nullopt;
  const auto r = static_cast<std::uint32_t>(row);
  for (const Slice& slice : c.split) {
    if (std::ranges::count(slice.rows, r) != 0) return std::nullopt;
  }
  Case result = c;
  result.split.push_back({{r}, 0});
  if (asker.spent() || !asker.alike(asker.ask(result))) return std::nullopt;
  return result;
}

/// What happens at each size of one dimension.
class SizeReadings {
 public:
  SizeReadings(Asker& asker, const Dimension& dimension, const std::optional<Case>& better)
      : asker_(asker), dimension_(dimension), base_(better ? *better : asker.failing().value) {
    known_[dimension.size] = {Reading::State::fails, share_of(asker.failing().verdict)};
    for (std::size_t i = 0; i < draws.size(); ++i) order_.push_back(i);
  }

  Reading at(std::uint32_t size) {
    const auto found = known_.find(size);
    if (found != known_.end()) return found->second;
    const Reading r = read(size);
    // What was not asked for lack of budget may be asked again.
    if (!asker_.spent() || r.fails()) known_[size] = r;
    return r;
  }

  /// Tries a size that passes with more numbers; whether it still does.
  bool confirm(std::uint32_t size) {
    for (std::uint64_t i = 0; i < confirmations && !asker_.spent(); ++i) {
      const auto values = i % 3 == 0 ? Growth::Values::normal : Growth::Values::all_normal;
      const auto c = generators::resized(base_, dimension_, size, {values, i % 2 == 0, 100 + i});
      if (!c) return true;
      const Verdict v = asker_.ask(*c);
      if (!asker_.alike(v)) continue;
      known_[size] = {Reading::State::fails, share_of(v)};
      return false;
    }
    return true;
  }

  /// Does a size that fails do so with most values of the kind that showed it?
  bool fails_firmly(std::uint32_t size) {
    if (size == dimension_.size) return true;
    std::uint64_t failed = 0;
    for (std::uint64_t i = 0; i < repetitions && !asker_.spent(); ++i) {
      Growth growth = draws[order_.front()];
      growth.seed = 200 + i;
      const auto c = generators::resized(base_, dimension_, size, growth);
      if (c && asker_.alike(asker_.ask(*c))) ++failed;
    }
    return failed + 1 >= repetitions;
  }

 private:
  double share_of(const Verdict& v) const {
    return asker_.by_bound() ? v.share : std::numeric_limits<double>::infinity();
  }

  Reading read(std::uint32_t size) {
    std::set<std::string> seen;
    bool passes = false, differs = false;
    double share = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (asker_.spent()) return {};
      const auto c = generators::resized(base_, dimension_, size, draws[order_[i]]);
      if (!c || !asker_.affordable(*c)) return {};
      if (!seen.insert(content_hash(*c)).second) continue;
      const Verdict v = asker_.ask(*c);
      if (asker_.alike(v)) {
        std::rotate(order_.begin(), order_.begin() + i, order_.begin() + i + 1);
        return {Reading::State::fails, share_of(v)};
      }
      differs |= v.failed() || v.outcome == Outcome::skip;
      passes |= asker_.passes(v);
      if (asker_.passes(v) && asker_.by_bound()) share = std::max(share, v.share);
    }
    if (differs || !passes) return {};
    return {Reading::State::passes, share};
  }

  Asker& asker_;
  const Dimension& dimension_;
  const Case& base_;
  std::vector<std::size_t> order_;  ///< of draws: what failed last comes first
  std::map<std::uint32_t, Reading> known_;
};

/// A turn whose passing side stays so with other numbers too.
std::optional<Turn> confirmed_turn(const Around& around, SizeReadings& readings) {
  constexpr int most_surprises = 6;
  const Readings at = [&readings](std::uint32_t size) { return readings.at(size); };
  for (int i = 0; i < most_surprises; ++i) {
    auto turn = find_turn(around, at);
    if (!turn) return turn;
    if (!readings.confirm(turn->passes)) continue;
    return readings.fails_firmly(turn->fails) ? turn : std::nullopt;
  }
  return std::nullopt;
}

/// Where to look: a size of 0 leaves nothing to judge, unless it is that of a padding; nobody has
/// features by the ten thousand, and batches are cheap, but for gradients.
Around around(const Dimension& d, bool gradient) {
  const bool batch = d.kind == Dimension::Kind::batch;
  const std::uint32_t usual = batch ? (gradient ? 1u << 12 : 1u << 16) : 1u << 10;
  return {d.size, d.kind == Dimension::Kind::padding ? 0u : 1u,
          std::max(usual, std::min(d.size, 1u << 26) * 16), d.symbol};
}

}  // namespace

void size_boundaries(Asker& asker, std::vector<Boundary>& found) {
  const auto all = generators::dimensions(asker.failing().value);
  const std::optional<Case> better = aimed(asker);
  for (std::size_t i = 0; i < all.size() && !asker.spent(); ++i) {
    // What one leaves over goes to the others; some stays for values.
    asker.allow(asker.remaining() * 2 / (all.size() - i + 1));
    SizeReadings readings(asker, all[i], better);
    const auto turn = confirmed_turn(around(all[i], asker.by_gradient()), readings);
    if (turn)
      found.push_back({all[i].name, turn->text + ", all other sizes as here",
                       fmt::format("{}", turn->fails), fmt::format("{}", turn->passes)});
    asker.allow(asker.remaining());
  }
}

}  // namespace ulpfuzz::shrinking
