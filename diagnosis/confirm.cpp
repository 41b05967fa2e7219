#include <algorithm>
#include <numeric>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// Patterns of each variant, in the order in which the variants come first.
std::vector<std::pair<std::size_t, std::vector<Pattern>>> by_variant(
    std::span<const Candidate> candidates) {
  std::vector<std::pair<std::size_t, std::vector<Pattern>>> groups;
  for (const Candidate& c : candidates) {
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const auto& g) { return g.first == c.variant; });
    if (at == groups.end()) at = groups.insert(at, {c.variant, {}});
    at->second.push_back(c.pattern);
  }
  return groups;
}

}  // namespace

std::vector<std::size_t> all_orders() {
  std::vector<std::size_t> all(orders().size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<Candidate> confirm(Scene& scene, std::span<const Candidate> candidates,
                               std::span<const float> observed,
                               std::span<const std::size_t> in_orders) {
  const auto one = scene.of<float>(Rows::one, observed);
  std::vector<Candidate> exact;
  for (auto& [variant, patterns] : by_variant(candidates))
    for (const std::size_t order : in_orders) {
      if (patterns.empty()) break;
      std::vector<Pattern> hits;
      scene.predict(variant, order, patterns, Rows::one, [&](Pattern p, std::span<const float> y) {
        if (same_values(y, one)) hits.push_back(p);
      });
      for (const Pattern p : hits) {
        if (!same_values(scene.predict(variant, order, p, Rows::all), observed)) continue;
        exact.push_back({variant, p, order, 0, 0});
        std::erase(patterns, p);
      }
    }
  return exact;
}

}  // namespace ulpfuzz::diagnosis
