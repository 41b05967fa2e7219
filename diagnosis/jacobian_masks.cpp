#include "jacobian_masks.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace ulpfuzz::diagnosis {
namespace {

/// Numbers kept at once while pairs of patterns are tried.
constexpr std::size_t most_kept = std::size_t{1} << 24;

std::vector<float> slopes_to_try(const Kink& kink, const Unit& unit, float first) {
  std::vector<float> slopes{first, other_slope(kink, first)};
  // At a tie any value between is a subgradient; half way is what max(x, 0) gives in some places.
  if (unit.z == 0) slopes.push_back((1 + kink.left) / 2);
  return slopes;
}

bool pair_fits(std::span<const double> difference, const RowBounds& a, const RowBounds& b) {
  for (std::size_t i = 0; i < difference.size(); ++i) {
    const double limit = a.sound[i] + b.sound[i];
    if (!(std::fabs(difference[i] - (a.reference[i] - b.reference[i])) <= limit)) return false;
  }
  return true;
}

std::vector<Unit> differing_units(const SettledRow& row) {
  std::vector<Unit> units;
  for (const Unit& u : row.kinks.undecided) {
    if (row.slopes_a[u.kink][u.element] != row.slopes_b[u.kink][u.element]) units.push_back(u);
  }
  return units;
}

}  // namespace

std::size_t beyond(std::span<const float> values, const RowBounds& bounds) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    count += !(std::fabs(values[i] - bounds.reference[i]) <= bounds.sound[i]);
  return count;
}

/// The reference's first, then by the number of units that differ from it.
std::vector<Slopes> MaskSettler::patterns(const RowKinks& row) const {
  std::vector<std::pair<std::size_t, Slopes>> all{{0, row.slopes}};
  for (const Unit& u : row.undecided) {
    const float first = row.slopes[u.kink][u.element];
    const std::size_t before = all.size();
    for (const float slope : slopes_to_try(kinks_.kinks()[u.kink], u, first)) {
      if (slope == first) continue;
      for (std::size_t i = 0; i < before; ++i) {
        all.push_back({all[i].first + 1, all[i].second});
        all.back().second[u.kink][u.element] = slope;
      }
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Slopes> patterns;
  for (auto& [flips, slopes] : all) patterns.push_back(std::move(slopes));
  return patterns;
}

bool MaskSettler::enumerate(std::span<const float* const> inputs, const RowValues& values,
                            SettledRow& row) {
  std::size_t best_a = values.a.size() + 1;
  std::size_t best_b = best_a;
  for (const Slopes& slopes : patterns(row.kinks)) {
    const RowBounds& bounds = judge_.run(inputs, &slopes);
    const auto consider = [&](std::span<const float> side, std::size_t& best, Slopes& kept,
                              RowBounds& kept_bounds) {
      if (best == 0) return;
      const std::size_t left = beyond(side, bounds);
      if (left >= best) return;
      best = left;
      kept = slopes;
      kept_bounds = bounds;
    };
    consider(values.a, best_a, row.slopes_a, row.a);
    consider(values.b, best_b, row.slopes_b, row.b);
    if (best_a == 0 && best_b == 0) return true;
  }
  return false;
}

bool MaskSettler::enumerate_pairs(std::span<const float* const> inputs, const RowValues& values,
                                  SettledRow& row) {
  std::vector<Slopes> all = patterns(row.kinks);
  if (all.size() * values.difference.size() * 4 > most_kept) return false;
  std::vector<RowBounds> bounds;
  for (const Slopes& slopes : all) bounds.push_back(judge_.run(inputs, &slopes));
  for (std::size_t sum = 0; sum + 1 < 2 * all.size(); ++sum) {
    for (std::size_t i = sum < all.size() ? 0 : sum - all.size() + 1; i <= sum && i < all.size();
         ++i) {
      const std::size_t j = sum - i;
      if (!pair_fits(values.difference, bounds[i], bounds[j])) continue;
      row.slopes_a = all[i];
      row.slopes_b = all[j];
      row.a = bounds[i];
      row.b = bounds[j];
      return true;
    }
  }
  return false;
}

bool MaskSettler::flip(std::span<const float* const> inputs, std::span<const float> values,
                       const RowKinks& kinks, Slopes& slopes, RowBounds& bounds) {
  slopes = kinks.slopes;
  bounds = judge_.run(inputs, &slopes);
  std::size_t left = beyond(values, bounds);
  for (const Unit& u : kinks.undecided) {
    if (left == 0) break;
    float& slope = slopes[u.kink][u.element];
    float best = slope;
    for (const float other : slopes_to_try(kinks_.kinks()[u.kink], u, slope)) {
      slope = other;
      const RowBounds& tried = judge_.run(inputs, &slopes);
      const std::size_t now = beyond(values, tried);
      if (now >= left) continue;
      left = now;
      best = other;
      bounds = tried;
    }
    slope = best;
  }
  return left == 0;
}

SettledRow MaskSettler::settle(std::span<const float* const> inputs, const RowValues& values) {
  SettledRow row;
  row.kinks = kinks_.judge(inputs);
  if (row.kinks.undecided.size() > most_enumerated && lambda_ > 0) {
    row.kinks = kinks_.judge(inputs, lambda_);
    row.probable = true;
  }
  row.slopes_a = row.slopes_b = row.kinks.slopes;
  const std::size_t undecided = row.kinks.undecided.size();
  if (undecided == 0 && !row.kinks.blind) {
    row.a = row.b = judge_.run(inputs, &row.kinks.slopes);
    return row;
  }
  const bool alone = values.a.empty();
  bool fits = false;
  if (row.kinks.blind) {
    fits = false;
  } else if (undecided <= most_enumerated) {
    fits = alone ? enumerate_pairs(inputs, values, row) : enumerate(inputs, values, row);
  } else if (!alone && undecided <= most_flipped) {
    const bool a = flip(inputs, values.a, row.kinks, row.slopes_a, row.a);
    fits = flip(inputs, values.b, row.kinks, row.slopes_b, row.b) && a;
  }
  if (fits) {
    row.how = SettledRow::How::enumerated;
    row.differing = differing_units(row);
    return row;
  }
  // A side that no pattern fits keeps the nearest one, if all were tried: nothing is left to widen.
  if (!row.kinks.blind && undecided <= most_enumerated && !row.a.reference.empty() &&
      !row.b.reference.empty()) {
    row.how = SettledRow::How::enumerated;
    row.differing = differing_units(row);
    return row;
  }
  row.how = SettledRow::How::widened;
  row.slopes_a.clear();
  row.slopes_b.clear();
  row.a = row.b = judge_.run(inputs, nullptr);
  return row;
}

}  // namespace ulpfuzz::diagnosis
