#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "engine.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// Largest rms, in typical deviations, that a usual order of summation shows (docs/bounds.md).
constexpr double largest_rms = 1.6;
constexpr double normal_quantile = 3.09;  // one in a thousand

/// The rms of `n` deviations that is exceeded once in a thousand, in units of their own: by Wilson
/// and Hilferty's cube of a normal.
double spread(std::size_t n) {
  const double k = 2 / (9 * static_cast<double>(n));
  return std::sqrt(std::pow(1 - k + normal_quantile * std::sqrt(k), 3));
}

/// Sums over the elements that a bound speaks of.
struct Tally {
  std::size_t usable = 0, differing = 0, worst = 0, judged = 0;
  /// Of elements that no bound speaks of: those that differ, and by more than rounding would.
  std::size_t other = 0, wild = 0;
  double squares = 0, typical = 0, ratios = 0;
};

void count(double d, double bound, double typical, std::size_t i, Explanation& e, Tally& t) {
  ++t.usable;
  t.squares += d * d;
  t.typical += 2 * typical * typical;
  if (typical > 0) {
    ++t.judged;
    t.ratios += d * d / (2 * typical * typical);
  }
  const double size = std::fabs(d);
  e.reorder_bound_max = std::max(e.reorder_bound_max, 2 * bound);
  e.difference_max = std::max(e.difference_max, size);
  const double infinite = std::numeric_limits<double>::infinity();
  const double ratio = size == 0 ? 0 : bound > 0 ? size / (2 * bound) : infinite;
  if (ratio <= e.ratio_max) return;
  e.ratio_max = ratio;
  t.worst = i;
}

/// Which results are farther from the reference than fp32 allows.
std::string wrong_side(const Evidence& evidence, const Baseline& baseline) {
  const auto wrong = [&](std::span<const float> side) {
    for (std::size_t i = 0; i < side.size(); ++i) {
      if (!baseline.usable[i]) continue;
      const double off = std::fabs(double{side[i]} - baseline.reference[i]);
      if (!(off <= baseline.bound[i])) return true;
    }
    return false;
  };
  const bool a = wrong(evidence.a), b = wrong(evidence.b);
  return a && b ? "both" : a ? "a" : b ? "b" : "";
}

bool both_nan(const Evidence& evidence, std::size_t i) {
  return !evidence.a.empty() && std::isnan(evidence.a[i]) && std::isnan(evidence.b[i]);
}

bool differs(const Evidence& evidence, std::span<const double> d, std::size_t i) {
  return evidence.difference.empty() ? !same_bits(evidence.a[i], evidence.b[i]) : d[i] != 0;
}

/// Whether no rounding of like results would give this: a number against NaN or infinity, or
/// a thousandth apart.
bool is_wild(const Evidence& evidence, std::span<const double> d, std::size_t i) {
  if (!std::isfinite(d[i])) return true;
  if (evidence.a.empty()) return false;
  const double size = std::max(std::fabs(evidence.a[i]), std::fabs(evidence.b[i]));
  return std::fabs(d[i]) > 1e-3 * size;
}

void note_unjudged(std::size_t nonfinite, std::size_t without, std::size_t all, Explanation& e) {
  if (nonfinite > 0)
    e.notes.push_back(fmt::format(
        "{} of {} elements are NaN or infinite where the right value is finite", nonfinite, all));
  if (without > 0)
    e.notes.push_back(
        fmt::format("no bound speaks of {} of {} elements: they are not judged", without, all));
}

void describe_worst(const Evidence& evidence, const Baseline& baseline, double difference,
                    std::size_t i, WorstElement& worst) {
  worst.difference = difference;
  worst.bound = 2 * baseline.bound[i];
  worst.reference = baseline.reference[i];
  if (evidence.a.empty()) return;
  const float a = evidence.a[i], b = evidence.b[i];
  // Across zero, floats are counted through all the small ones, which tells nothing.
  if (std::isfinite(a) && std::isfinite(b) && std::signbit(a) == std::signbit(b))
    worst.ulps = ulp_distance(a, b);
}

/// As `conclude` does of all elements.
RowSummary summary_of_row(const Evidence& evidence, const Baseline& baseline,
                          std::span<const double> d, std::size_t first, std::size_t width) {
  Explanation of_row;
  Tally t;
  bool infinite = false;
  for (std::size_t i = first; i < first + width; ++i) {
    if (!baseline.usable[i]) continue;
    const bool number = evidence.a.empty() || std::isfinite(evidence.a[i]);
    infinite = infinite || !number || !std::isfinite(d[i]);
    count(std::isfinite(d[i]) ? d[i] : 0, baseline.bound[i], baseline.typical[i], i, of_row, t);
  }
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (t.usable == 0) return {none, none, none};
  if (infinite) of_row.difference_max = of_row.ratio_max = HUGE_VAL;
  return {of_row.difference_max, of_row.reorder_bound_max, of_row.ratio_max};
}

Conclusion judge(const Explanation& e, const Tally& t) {
  if (e.ratio_max > 1) return Conclusion::other_cause;
  if (!e.wrong_side.empty()) return Conclusion::other_cause;
  if (e.differing == 0) return Conclusion::equal;
  if (t.differing == 0 || t.wild > 0) return Conclusion::undecidable;
  if (t.judged == 0) return Conclusion::reordering;
  const double r = std::sqrt(t.ratios / static_cast<double>(t.judged));
  return r <= usual_rms(t.judged) ? Conclusion::reordering : Conclusion::suspicious;
}

void conclude_sum(double sum, const Baseline& baseline, Explanation& e) {
  double bound = 0, squares = 0, typical = 0;
  for (std::size_t i = 0; i < baseline.size(); ++i) {
    if (!baseline.usable[i]) continue;
    bound += 2 * baseline.bound[i];
    squares += 2 * baseline.typical[i] * baseline.typical[i];
    typical += std::sqrt(2.0) * baseline.typical[i];
  }
  e.reorder_bound_max = bound;
  e.difference_max = sum;
  e.ratio_max = bound > 0 ? sum / bound : sum > 0 ? std::numeric_limits<double>::infinity() : 0;
  const auto n = static_cast<double>(std::max<std::size_t>(e.elements, 1));
  e.typical_rms = std::sqrt(squares / n);
  e.observed_rms = sum / n;
  e.conclusion = sum == 0             ? Conclusion::equal
                 : e.ratio_max > 1    ? Conclusion::other_cause
                 : sum <= 3 * typical ? Conclusion::reordering
                                      : Conclusion::suspicious;
}

}  // namespace

double usual_rms(std::size_t n) { return largest_rms * spread(n); }

std::string_view verdict(Conclusion c) {
  switch (c) {
    case Conclusion::equal:
      return "equal in every bit";
    case Conclusion::reordering:
      return "consistent with fp32 reordering";
    case Conclusion::suspicious:
      return "within what fp32 reordering can give at most, but not typical of it";
    case Conclusion::other_cause:
      return "not fp32 reordering";
    default:
      return "undecidable: no bound speaks here";
  }
}

std::vector<double> differences(const Evidence& evidence) {
  if (!evidence.difference.empty()) return {evidence.difference.begin(), evidence.difference.end()};
  std::vector<double> d(evidence.a.size());
  for (std::size_t i = 0; i < d.size(); ++i)
    d[i] = evidence.a[i] == evidence.b[i] ? 0 : double{evidence.a[i]} - double{evidence.b[i]};
  return d;
}

std::size_t conclude(const Evidence& evidence, const Baseline& baseline, Explanation& e) {
  e.elements = baseline.size();
  if (evidence.absolute_sum) {
    conclude_sum(*evidence.absolute_sum, baseline, e);
    e.verdict = verdict(e.conclusion);
    return 0;
  }
  const std::vector<double> d = differences(evidence);
  Tally t;
  std::size_t nonfinite = 0, first_nonfinite = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const bool differing = differs(evidence, d, i);
    e.differing += differing;
    if (!baseline.usable[i]) {
      const bool other = differing && d[i] != 0 && !both_nan(evidence, i);
      t.other += other;
      t.wild += other && is_wild(evidence, d, i);
      continue;
    }
    t.differing += differing;
    const bool number = evidence.a.empty() || std::isfinite(evidence.a[i]);
    if (number && std::isfinite(d[i]))
      count(d[i], baseline.bound[i], baseline.typical[i], i, e, t);
    else if (nonfinite++ == 0)
      first_nonfinite = i;
  }
  if (nonfinite > 0) {
    t.worst = first_nonfinite;
    e.ratio_max = e.difference_max = std::numeric_limits<double>::infinity();
  }
  const std::size_t width = d.size() / std::max<std::size_t>(evidence.rows, 1);
  if (evidence.quantity == Quantity::outputs)
    for (std::size_t row = 0; row < evidence.rows; ++row)
      e.rows.push_back(summary_of_row(evidence, baseline, d, row * width, width));
  e.unjudged_differing = t.other;
  if (t.other > 0)
    e.notes.push_back(fmt::format(
        "{} elements that no bound speaks of differ, {} of them by more than rounding would",
        t.other, t.wild));
  note_unjudged(nonfinite, d.size() - t.usable - nonfinite, d.size(), e);
  const auto n = static_cast<double>(std::max<std::size_t>(t.usable, 1));
  e.typical_rms = std::sqrt(t.typical / n);
  e.observed_rms = std::sqrt(t.squares / n);
  if (!evidence.a.empty()) e.wrong_side = wrong_side(evidence, baseline);
  e.conclusion = judge(e, t);
  e.judged = t.usable + nonfinite;
  e.verdict = verdict(e.conclusion);
  if (e.conclusion == Conclusion::equal && e.judged == 0 && e.elements > 0)
    e.verdict = "equal bit for bit; no bound applies";
  if (e.wrong_side == "both" && e.ratio_max <= 1)
    e.verdict = "both results differ from this network in the same way";
  if (!d.empty()) describe_worst(evidence, baseline, d[t.worst], t.worst, e.worst);
  return t.worst;
}

}  // namespace ulpfuzz::diagnosis
