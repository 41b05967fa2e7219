#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr int most_passes = 3;

std::vector<double> doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

/// The prediction of a family under a pattern, made if it is not there yet.
std::size_t need(Scene& scene, std::vector<Prediction>& list, std::size_t family, Pattern pattern) {
  if (pattern == 0) family = 0;
  const auto at = std::find_if(list.begin(), list.end(), [&](const Prediction& p) {
    return p.family == family && p.pattern == pattern;
  });
  if (at != list.end()) return static_cast<std::size_t>(at - list.begin());
  add_predictions(scene, family, {&pattern, 1}, list);
  return list.size() - 1;
}

/// Changes one layer after the other, the first ones first, as long as that fits better.
/// `score_of(patterns)` is what is made small.
template <std::size_t N, class Score>
void descend(std::array<Pattern, N> patterns, std::size_t layers, const Score& score_of) {
  double best = score_of(patterns);
  for (int pass = 0; pass < most_passes; ++pass) {
    bool better = false;
    for (std::size_t layer = 0; layer < layers; ++layer)
      for (std::size_t side = 0; side < N; ++side) {
        auto other = patterns;
        other[side] ^= Pattern{1} << layer;
        const double s = score_of(other);
        if (s >= best) continue;
        best = s;
        patterns = other;
        better = true;
      }
    if (!better) return;
  }
}

/// Of each family that is a matter of layers: its patterns so far.
std::vector<Pattern> patterns_of(std::span<const Prediction> list, std::size_t family) {
  std::vector<Pattern> patterns{0};
  for (const Prediction& p : list)
    if (p.family == family && p.pattern != 0) patterns.push_back(p.pattern);
  return patterns;
}

}  // namespace

void deepen(Scene& scene, std::vector<Prediction>& list, std::span<const float> observed,
            const Baseline& baseline) {
  const auto wanted = doubles(scene.of<float>(Rows::few, observed));
  const auto typical = scene.of<double>(Rows::few, baseline.typical);
  for (std::size_t f = 1; f < families().size(); ++f) {
    if (families()[f].whole) continue;
    const auto score_of = [&](const std::array<Pattern, 1>& p) {
      const Prediction& y = list[need(scene, list, f, p[0])];
      return score(wanted, doubles(y.values), scales(y, typical));
    };
    std::array<Pattern, 1> best{0};
    for (const Pattern p : patterns_of(list, f))
      if (score_of({p}) < score_of(best)) best = {p};
    descend(best, scene.layers(), score_of);
  }
}

void deepen_pairs(Scene& scene, std::vector<Prediction>& list, std::span<const double> observed,
                  const Baseline& baseline) {
  const auto wanted = scene.of<double>(Rows::few, observed);
  const auto typical = scene.of<double>(Rows::few, baseline.typical);
  for (std::size_t f = 1; f < families().size(); ++f) {
    if (families()[f].whole) continue;
    const auto score_of = [&](const std::array<Pattern, 2>& p) {
      const std::size_t ia = need(scene, list, f, p[0]), ib = need(scene, list, f, p[1]);
      const auto sa = scales(list[ia], typical), sb = scales(list[ib], typical);
      std::vector<double> d(wanted.size()), scale(wanted.size());
      for (std::size_t i = 0; i < d.size(); ++i) {
        d[i] = double{list[ia].values[i]} - double{list[ib].values[i]};
        scale[i] = std::hypot(sa[i], sb[i]);
      }
      return score(wanted, d, scale);
    };
    std::array<Pattern, 2> best{};
    double least = std::numeric_limits<double>::infinity();
    const auto patterns = patterns_of(list, f);
    for (const Pattern a : patterns)
      for (const Pattern b : patterns)
        if (const double s = score_of({a, b}); s < least) {
          least = s;
          best = {a, b};
        }
    descend(best, scene.layers(), score_of);
  }
}

}  // namespace ulpfuzz::diagnosis
