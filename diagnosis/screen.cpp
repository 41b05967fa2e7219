#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t best_order = 0, other_order = 5;

/// An element's scale in typical deviations of fp32: of one order against another, and wider where
/// matmul units, which truncate, are to be covered too.
constexpr double order_scale = 1.5, unit_scale = 3;

// How far above the best a candidate's score may lie, in nats: in all, and for each element; and
// how many stay.
constexpr double margin = 10, margin_per_element = 1.5;
constexpr std::size_t most_candidates = 48;

/// All patterns, or those that machines are likely to make: all layers, all up to one or from one
/// on, one alone, all but one.
std::vector<Pattern> patterns_to_try(std::size_t layers, bool exhaustive) {
  const Pattern full = full_pattern(layers);
  std::vector<Pattern> patterns;
  if (exhaustive) {
    for (Pattern p = 1; p <= full; ++p) patterns.push_back(p);
    return patterns;
  }
  for (std::size_t l = 0; l < layers; ++l) {
    const Pattern bit = Pattern{1} << l;
    for (const Pattern p : {bit, full ^ bit, bit - 1, full ^ (bit - 1)}) patterns.push_back(p);
  }
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  std::erase(patterns, Pattern{0});
  return patterns;
}

double rms_difference(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = double{a[i]} - double{b[i]};
    if (!std::isfinite(d)) continue;
    sum += d * d;
    ++n;
  }
  return n == 0 ? 0 : std::sqrt(sum / static_cast<double>(n));
}

}  // namespace

void add_predictions(Scene& scene, std::size_t f, std::span<const Pattern> patterns,
                     std::vector<Prediction>& list) {
  const Family& family = families()[f];
  const std::size_t first = list.size();
  scene.predict(family.variants.front(), best_order, patterns, Rows::few,
                [&](Pattern p, std::span<const float> y) {
                  list.push_back({f, p, {y.begin(), y.end()}, 0});
                });
  if (!family.sensitive) return;
  std::map<Pattern, std::size_t> at;
  for (std::size_t i = first; i < list.size(); ++i) at[list[i].pattern] = i;
  scene.predict(family.variants.back(), other_order, patterns, Rows::few,
                [&](Pattern p, std::span<const float> y) {
                  Prediction& own = list[at[p]];
                  own.noise = rms_difference(own.values, y);
                });
}

bool is_exhaustive(const Scene& scene, std::size_t most) {
  constexpr std::size_t always = 4;
  const std::size_t layers = scene.layers();
  if (layers <= always || layers > most) return layers <= always;
  return scene.affords((families().size() << (layers + 1)) / layers * scene.rows(Rows::few).size());
}

std::vector<Prediction> predict_all(Scene& scene, bool exhaustive) {
  std::vector<Prediction> list;
  const Pattern none = 0, full = full_pattern(scene.layers());
  const auto some = patterns_to_try(scene.layers(), exhaustive);
  for (std::size_t f = 0; f < families().size(); ++f) {
    const Hypothesis& h = hypotheses()[variants()[families()[f].variants.front()].hypothesis];
    if (!scene.applies(h)) continue;
    if (f == 0)
      add_predictions(scene, f, {&none, 1}, list);
    else if (families()[f].whole)
      add_predictions(scene, f, {&full, 1}, list);
    else
      add_predictions(scene, f, some, list);
  }
  return list;
}

std::vector<double> scales(const Prediction& p, std::span<const double> typical) {
  const Family& family = families()[p.family];
  const double factor = family.variants.size() > 1 ? unit_scale : order_scale;
  std::vector<double> scale(typical.size());
  for (std::size_t i = 0; i < scale.size(); ++i) {
    const double least = std::fabs(double{p.values[i]}) * 0x1p-26 + 0x1p-149;
    scale[i] = std::max({factor * typical[i], 2 * p.noise, least});
  }
  return scale;
}

std::vector<Candidate> screen(Scene& scene, std::span<const Prediction> predictions,
                              std::span<const float> observed, const Baseline& baseline) {
  const auto few = scene.of<float>(Rows::few, observed);
  const std::vector<double> wanted(few.begin(), few.end());
  const auto typical = scene.of<double>(Rows::few, baseline.typical);
  std::vector<Candidate> list;
  double best = std::numeric_limits<double>::infinity();
  for (const Prediction& p : predictions) {
    const std::vector<double> values(p.values.begin(), p.values.end());
    const double s = score(wanted, values, scales(p, typical));
    best = std::min(best, s);
    for (const std::size_t v : families()[p.family].variants)
      list.push_back({v, p.pattern, 0, s, p.noise});
  }
  const double limit = best + margin + margin_per_element * static_cast<double>(wanted.size());
  std::erase_if(list, [&](const Candidate& c) { return c.score > limit; });
  std::stable_sort(list.begin(), list.end(),
                   [](const Candidate& l, const Candidate& r) { return l.score < r.score; });
  if (list.size() > most_candidates) list.resize(most_candidates);
  return list;
}

bool is_sensitive(const Candidate& c) { return depends_on_order(variants()[c.variant].arithmetic); }

std::vector<Candidate> everything(std::span<const Prediction> predictions) {
  std::vector<Candidate> list;
  for (const Prediction& p : predictions)
    for (const std::size_t v : families()[p.family].variants)
      list.push_back({v, p.pattern, 0, 0, p.noise});
  return list;
}

}  // namespace ulpfuzz::diagnosis
