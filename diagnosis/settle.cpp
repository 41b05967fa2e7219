#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// In nats, in all and for each element: how much better than fp32 a class must fit, the best of
/// many patterns and orders as it is. Two different classes must do so twice and more.
constexpr double least_gain = 8, gain_per_element = 0.25, two_classes = 2.5;

bool is_plain(const Candidate& c) { return c.pattern == 0; }

bool is_two(const PairCandidate& p) {
  return !is_plain(p.a) && !is_plain(p.b) && hypothesis_of(p.a) != hypothesis_of(p.b);
}

double penalty(const PairCandidate& p, std::size_t elements) {
  if (is_plain(p.a) && is_plain(p.b)) return 0;
  const double gain = least_gain + gain_per_element * static_cast<double>(elements);
  return is_two(p) ? two_classes * gain : gain;
}

}  // namespace

std::size_t hypothesis_of(const Candidate& c) { return variants()[c.variant].hypothesis; }

void fit(Scene& scene, std::span<Candidate> candidates, std::span<const float> observed,
         const Baseline& baseline) {
  const auto few = scene.of<float>(Rows::few, observed);
  const std::vector<double> wanted(few.begin(), few.end());
  const auto typical = scene.of<double>(Rows::few, baseline.typical);
  std::vector<double> scale(typical.size());
  for (Candidate& c : candidates) {
    for (std::size_t i = 0; i < scale.size(); ++i)
      scale[i] = std::max({typical[i] / 2, c.noise, std::fabs(wanted[i]) * 0x1p-26 + 0x1p-149});
    c.score = std::numeric_limits<double>::infinity();
    for (std::size_t order = 0; order < orders().size(); ++order) {
      const auto y = scene.predict(c.variant, order, c.pattern, Rows::few);
      const double s = score(wanted, std::vector<double>(y.begin(), y.end()), scale);
      if (s < c.score) std::tie(c.score, c.order) = std::pair(s, order);
    }
  }
}

void choose(std::vector<PairCandidate>& pairs, std::size_t elements) {
  if (pairs.empty()) return;
  const auto best = std::min_element(
      pairs.begin(), pairs.end(), [&](const PairCandidate& l, const PairCandidate& r) {
        return l.score + penalty(l, elements) < r.score + penalty(r, elements);
      });
  std::iter_swap(pairs.begin(), best);
}

void sort_by_simplicity(std::vector<PairCandidate>& pairs) {
  const auto key = [](const PairCandidate& p) {
    return std::tuple(is_two(p), std::max(hypothesis_of(p.a), hypothesis_of(p.b)),
                      std::popcount(p.a.pattern) + std::popcount(p.b.pattern));
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const PairCandidate& l, const PairCandidate& r) { return key(l) < key(r); });
}

}  // namespace ulpfuzz::diagnosis
