#include <algorithm>
#include <cmath>
#include <limits>

#include "pairs.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr double margin = 10, margin_per_element = 1.5;
constexpr std::size_t most_candidates = 256;

/// What a pair is judged by.
struct Side {
  const Prediction* prediction;
  std::vector<double> values, squares;  ///< of the scales
};

Side side_of(const Prediction& p, std::span<const double> typical) {
  Side side{&p, {p.values.begin(), p.values.end()}, scales(p, typical)};
  for (double& s : side.squares) s *= s;
  return side;
}

class Pairing {
 public:
  Pairing(std::span<const double> observed, std::vector<PairCandidate>& list)
      : observed_(observed), list_(list), values_(observed.size()), scale_(observed.size()) {}

  void add(const Side& a, const Side& b) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = a.values[i] - b.values[i];
      scale_[i] = std::sqrt(a.squares[i] + b.squares[i]);
    }
    const double s = score(observed_, values_, scale_);
    if (s > limit()) return;
    best_ = std::min(best_, s);
    const auto &fa = families()[a.prediction->family].variants,
               &fb = families()[b.prediction->family].variants;
    const bool same = a.prediction->family == b.prediction->family;
    const bool sensitive = families()[a.prediction->family].sensitive;
    for (const std::size_t va : fa)
      for (const std::size_t vb : fb) {
        if (same && !sensitive && va != vb) continue;
        list_.push_back({{va, a.prediction->pattern, 0, s, a.prediction->noise},
                         {vb, b.prediction->pattern, 0, s, b.prediction->noise},
                         s});
      }
  }
  double limit() const {
    return best_ + margin + margin_per_element * static_cast<double>(observed_.size());
  }

 private:
  std::span<const double> observed_;
  std::vector<PairCandidate>& list_;
  std::vector<double> values_, scale_;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<PairCandidate> screen_pairs(Scene& scene, std::span<const Prediction> predictions,
                                        std::span<const double> observed,
                                        const Baseline& baseline) {
  const auto wanted = scene.of<double>(Rows::few, observed);
  const auto typical = scene.of<double>(Rows::few, baseline.typical);
  std::vector<Side> sides;
  for (const Prediction& p : predictions) sides.push_back(side_of(p, typical));
  std::vector<PairCandidate> list;
  Pairing pairing(wanted, list);
  const Pattern full = full_pattern(scene.layers());
  for (const Side& a : sides)
    for (const Side& b : sides) {
      const bool plain = a.prediction->pattern == 0 || b.prediction->pattern == 0;
      const bool same = a.prediction->family == b.prediction->family;
      const bool whole = a.prediction->pattern == full && b.prediction->pattern == full;
      if (same || plain || whole) pairing.add(a, b);
    }
  const double limit = pairing.limit();
  std::erase_if(list, [&](const PairCandidate& c) { return c.score > limit; });
  std::stable_sort(list.begin(), list.end(), [](const PairCandidate& l, const PairCandidate& r) {
    return l.score < r.score;
  });
  if (list.size() > most_candidates) list.resize(most_candidates);
  return list;
}

std::vector<PairCandidate> every_pair(std::span<const Prediction> predictions) {
  const std::vector<Candidate> list = everything(predictions);
  std::vector<PairCandidate> pairs;
  for (const Candidate& a : list)
    for (const Candidate& b : list)
      if (a.pattern == 0 || b.pattern == 0 || hypothesis_of(a) == hypothesis_of(b))
        pairs.push_back({a, b, 0});
  return pairs;
}

}  // namespace ulpfuzz::diagnosis
