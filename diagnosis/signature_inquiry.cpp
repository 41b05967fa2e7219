#include "signature_inquiry.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace ulpfuzz::diagnosis {
namespace {

constexpr double far = 4;  // times the tolerances: another value beyond doubt
constexpr std::size_t enough = 3;
constexpr double many_deviations = 16;
constexpr std::size_t most_other_rows = 32;

/// Counts distinct predictions, and those that tell. Zero is what many slips come to: it counts
/// only where all predictions are zero.
class Telling {
 public:
  void add(const Predicted& p, const Predicted& expected) {
    Pairs& all = p.value == 0 ? zero_ : other_;
    if (all.distinct.size() >= enough && all.telling.size() >= enough) return;
    const std::pair pair(static_cast<float>(p.value), static_cast<float>(expected.value));
    if (all.distinct.size() < enough) all.distinct.insert(pair);
    if (std::fabs(p.value - expected.value) > far * (p.tolerance + expected.tolerance))
      all.telling.insert(pair);
  }
  /// At least three tell, or all where there are fewer.
  bool enough_tell() const {
    const Pairs& counted = other_.distinct.empty() ? zero_ : other_;
    return counted.telling.size() >= counted.distinct.size();
  }

 private:
  struct Pairs {
    std::set<std::pair<float, float>> distinct, telling;
  };
  Pairs zero_, other_;
};

bool fits(double value, const Predicted& p) {
  if (std::isnan(p.value)) return std::isnan(value);
  return value == p.value || std::fabs(value - p.value) <= p.tolerance;
}

}  // namespace

double fp32_tolerance(double sound, double typical) {
  return typical > 0 ? std::min(sound, many_deviations * typical) : sound;
}

std::vector<std::size_t> Inquiry::failing_rows() const {
  std::vector<std::size_t> rows;
  for (const std::size_t i : side_.failing) {
    const std::size_t row = i / layout_.row_size();
    if (rows.empty() || rows.back() != row) rows.push_back(row);
  }
  return rows;
}

std::span<const std::size_t> Inquiry::failing_in(std::size_t row) const {
  const std::size_t size = layout_.row_size();
  const auto& f = side_.failing;
  const auto first = std::lower_bound(f.begin(), f.end(), row * size);
  return {first, std::lower_bound(first, f.end(), (row + 1) * size)};
}

bool Inquiry::row_fits(std::size_t row, const RowBounds& bounds) const {
  const std::size_t size = layout_.row_size();
  const auto failing = failing_in(row);
  return std::all_of(failing.begin(), failing.end(), [&](std::size_t i) {
    const std::size_t at = i - row * size;
    const double slack = side_.bits.empty() ? side_.tolerance[i] : 0;
    const double tolerance = fp32_tolerance(bounds.sound[at], bounds.typical[at]);
    return fits(side_.values[i], {bounds.reference[at], tolerance + slack});
  });
}

bool Inquiry::test(const std::string& name, const std::string& detail, Reach reach,
                   const Predict& predict) {
  Explained explained{name, detail, reach, false, predict, {}, 0};
  Telling telling;
  for (const std::size_t i : side_.failing) {
    const std::optional<Predicted> p = predict(i);
    if (!p || !fits(side_.values[i], *p)) return false;
    telling.add(*p, expected(i));
    explained.predicted.push_back(p->value);
  }
  if (!telling.enough_tell()) return false;
  found_.push_back(std::move(explained));
  return true;
}

bool Inquiry::test_rows(const std::string& name, const std::string& detail, Reach reach,
                        const PredictRow& predict) {
  const std::size_t size = layout_.row_size();
  const RowBounds* bounds = nullptr;
  std::size_t row = layout_.rows;
  return test(
      name, detail, reach,
      [this, size, bounds, row, predict](std::size_t i) mutable -> std::optional<Predicted> {
        if (i / size != row) {
          row = i / size;
          bounds = predict(row);
        }
        if (!bounds) return std::nullopt;
        const std::size_t at = i - row * size;
        const double slack = side_.bits.empty() ? side_.tolerance[i] : 0;
        const double tolerance = fp32_tolerance(bounds->sound[at], bounds->typical[at]);
        return Predicted{bounds->reference[at], tolerance + slack};
      });
}

std::size_t Inquiry::contradictions(const Explained& x) const {
  const std::size_t size = layout_.row_size();
  std::vector<bool> rows(layout_.rows, x.reach == Reach::everything);
  std::vector<bool> elements(layout_.elements, x.reach != Reach::blocks);
  for (const std::size_t i : side_.failing) {
    rows[i / size] = true;
    const Layout::Block& block = layout_.block_of(i % layout_.elements);
    if (elements[i % layout_.elements]) continue;
    std::fill_n(elements.begin() + static_cast<std::ptrdiff_t>(block.first), block.shape.size(),
                true);
  }
  std::size_t count = 0;
  std::size_t others = 0;  // rows that do not fail
  for (std::size_t row = 0; row < layout_.rows; ++row) {
    if (!rows[row]) continue;
    std::span<const std::size_t> failing = failing_in(row);
    if (failing.empty() && ++others > most_other_rows) continue;
    for (std::size_t i = row * size; i < (row + 1) * size; ++i) {
      if (!failing.empty() && failing.front() == i) {
        failing = failing.subspan(1);
        continue;
      }
      if (!baseline_.usable[i] || !elements[i % layout_.elements]) continue;
      const std::optional<Predicted> p = x.predict(i);
      count += p && !fits(side_.values[i], {p->value, 2 * p->tolerance});
    }
  }
  return count;
}

std::vector<Explained> Inquiry::found() {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  if (found_.size() > 1) {
    for (Explained& x : found_) {
      if (x.predict) x.contradictions = contradictions(x);
      least = std::min(least, x.contradictions);
    }
  }
  // Of several rows, what is looked for in each explains less than one rule for all.
  const bool ruled = failing_rows().size() > 1 &&
                     std::any_of(found_.begin(), found_.end(), [&](const Explained& x) {
                       return !x.chosen_by_row && x.contradictions <= least;
                     });
  std::vector<Explained> best;
  for (const Explained& x : found_) {
    if (ruled && x.chosen_by_row) continue;
    const bool known =
        std::any_of(best.begin(), best.end(), [&](const Explained& b) { return b.name == x.name; });
    if (!known && x.contradictions <= least) best.push_back(x);
  }
  return best;
}

}  // namespace ulpfuzz::diagnosis
