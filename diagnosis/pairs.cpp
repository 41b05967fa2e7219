#include "pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t most_fitted = 16;
constexpr std::size_t most_trials = 256;
constexpr std::size_t most_layers_of_every_pair = 4;
constexpr std::size_t most_closed = 3;  // pairs of orders in which everything is tried

bool predicts(const float* a, const float* b, std::span<const double> observed) {
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double d = a[i] == b[i] ? 0 : double{a[i]} - double{b[i]};
    if (!same_difference(d, observed[i])) return false;
  }
  return true;
}

std::vector<const float*> in_orders(Memory& memory, const Candidate& c,
                                    std::span<const std::size_t> orders) {
  std::vector<const float*> all;
  for (const std::size_t o : orders) all.push_back(memory.at(c, o, Rows::one).data());
  return all;
}

void fit_orders(Memory& memory, PairCandidate& c, std::span<const double> few,
                std::span<const double> floor) {
  c.score = std::numeric_limits<double>::infinity();
  std::vector<double> d(few.size()), scale(floor.begin(), floor.end());
  for (double& s : scale) s = std::max(s, std::hypot(c.a.noise, c.b.noise));
  for (std::size_t oa = 0; oa < orders().size(); ++oa)
    for (std::size_t ob = 0; ob < orders().size(); ++ob) {
      const auto &a = memory.at(c.a, oa, Rows::few), &b = memory.at(c.b, ob, Rows::few);
      for (std::size_t i = 0; i < d.size(); ++i) d[i] = double{a[i]} - double{b[i]};
      const double s = score(few, d, scale);
      if (s >= c.score) continue;
      c.score = s;
      c.a.order = oa;
      c.b.order = ob;
    }
}

/// Every class in the layers of what was found.
std::vector<PairCandidate> same_layers(std::span<const PairCandidate> found) {
  std::vector<PairCandidate> list;
  for (const PairCandidate& p : found)
    for (std::size_t v = 1; v < variants().size(); ++v) {
      if (whole(hypotheses()[variants()[v].hypothesis])) continue;
      PairCandidate other = p;
      if (p.a.pattern != 0) other.a.variant = v;
      if (p.b.pattern != 0) other.b.variant = v;
      list.push_back(other);
    }
  return list;
}

/// Found in some orders, everything is tried in these.
void close(Memory& memory, const Scene& scene, std::span<const Prediction> predictions,
           std::span<const double> observed, std::vector<PairCandidate>& found) {
  using Name = std::tuple<std::size_t, Pattern, std::size_t, Pattern>;
  std::set<std::pair<std::size_t, std::size_t>> closed;
  std::set<Name> known;
  for (const PairCandidate& p : found) {
    closed.emplace(p.a.order, p.b.order);
    known.emplace(p.a.variant, p.a.pattern, p.b.variant, p.b.pattern);
  }
  const bool few = scene.layers() <= most_layers_of_every_pair;
  const auto all = few ? everything(predictions) : std::vector<Candidate>{};
  auto others = few ? every_pair(predictions) : same_layers(found);
  std::erase_if(others, [&](const PairCandidate& p) {
    return known.contains({p.a.variant, p.a.pattern, p.b.variant, p.b.pattern});
  });
  std::size_t n = 0;
  for (const auto& [oa, ob] : closed) {
    if (++n > most_closed) return;
    memory.learn(all, oa, Rows::one);
    memory.learn(all, ob, Rows::one);
    for (const auto& p : confirm_pairs(memory, scene, others, observed, {&oa, 1}, {&ob, 1}))
      if (known.emplace(p.a.variant, p.a.pattern, p.b.variant, p.b.pattern).second)
        found.push_back(p);
  }
}

}  // namespace

const std::vector<float>& Memory::at(const Candidate& c, std::size_t order, Rows which) {
  const Key key{c.variant, c.pattern, order, which};
  auto at = known_.find(key);
  if (at == known_.end())
    at = known_.emplace(key, scene_.predict(c.variant, order, c.pattern, which)).first;
  return at->second;
}

void Memory::learn(std::span<const Candidate> candidates, std::size_t order, Rows which) {
  std::map<std::size_t, std::vector<Pattern>> patterns;
  for (const Candidate& c : candidates)
    if (!known_.contains({c.variant, c.pattern, order, which}))
      patterns[c.variant].push_back(c.pattern);
  for (const auto& entry : patterns) {
    const std::size_t variant = entry.first;
    scene_.predict(variant, order, entry.second, which, [&](Pattern p, std::span<const float> y) {
      known_.emplace(Key{variant, p, order, which}, std::vector<float>(y.begin(), y.end()));
    });
  }
}

std::vector<PairCandidate> confirm_pairs(Memory& memory, const Scene& scene,
                                         std::span<const PairCandidate> candidates,
                                         std::span<const double> observed,
                                         std::span<const std::size_t> orders_a,
                                         std::span<const std::size_t> orders_b) {
  const auto one = scene.of<double>(Rows::one, observed);
  const auto found = [&](PairCandidate& c) {
    const auto a = in_orders(memory, c.a, orders_a), b = in_orders(memory, c.b, orders_b);
    std::size_t trials = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j) {
        if (!predicts(a[i], b[j], one)) continue;
        if (++trials > most_trials) return false;
        std::tie(c.a.order, c.b.order) = std::pair(orders_a[i], orders_b[j]);
        if (predicts(memory.at(c.a, c.a.order, Rows::all).data(),
                     memory.at(c.b, c.b.order, Rows::all).data(), observed))
          return true;
      }
    return false;
  };
  std::vector<PairCandidate> exact;
  for (PairCandidate c : candidates)
    if (found(c)) exact.push_back(c);
  return exact;
}

std::vector<PairCandidate> settle_pairs(Memory& memory, const Scene& scene,
                                        std::span<const PairCandidate> candidates,
                                        std::span<const double> observed,
                                        const Baseline& baseline) {
  std::vector<PairCandidate> list(candidates.begin(), candidates.end());
  if (list.size() > most_fitted) list.resize(most_fitted);
  if (list.empty()) return list;
  const auto few = scene.of<double>(Rows::few, observed);
  auto scale = scene.of<double>(Rows::few, baseline.typical);
  const auto reference = scene.of<double>(Rows::few, baseline.reference);
  for (std::size_t i = 0; i < scale.size(); ++i)
    scale[i] = std::max(scale[i] / 2, std::fabs(reference[i]) * 0x1p-26 + 0x1p-149);
  for (PairCandidate& c : list) fit_orders(memory, c, few, scale);
  choose(list, few.size());
  const PairCandidate best = list.front();
  const auto &bits_a = memory.at(best.a, best.a.order, Rows::all),
             &bits_b = memory.at(best.b, best.b.order, Rows::all);
  std::vector<double> d(bits_a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = double{bits_a[i]} - double{bits_b[i]};
  std::erase_if(list, [&](PairCandidate& c) {
    c.a.order = best.a.order;
    c.b.order = best.b.order;
    return !predicts(memory.at(c.a, c.a.order, Rows::all).data(),
                     memory.at(c.b, c.b.order, Rows::all).data(), d);
  });
  return list;
}

std::vector<Match> match_difference(Scene& scene, const Evidence& evidence,
                                    const Baseline& baseline) {
  const bool exhaustive = is_exhaustive(scene, most_layers_of_pairs);
  auto predictions = predict_all(scene, exhaustive);
  const auto observed = evidence.difference;
  if (!exhaustive) deepen_pairs(scene, predictions, observed, baseline);
  const auto screened = screen_pairs(scene, predictions, observed, baseline);
  Memory memory(scene);
  const auto every = all_orders();
  auto found = confirm_pairs(memory, scene, screened, observed, every, every);
  if (!found.empty()) {
    close(memory, scene, predictions, observed, found);
  } else if (const auto all = everything(predictions);
             scene.layers() <= most_layers_of_every_pair &&
             scene.affords(all.size() * orders().size())) {
    for (const std::size_t order : every) memory.learn(all, order, Rows::one);
    found = confirm_pairs(memory, scene, every_pair(predictions), observed, every, every);
  }
  if (found.empty())
    found = settle_pairs(memory, scene, screened, observed, baseline);
  else
    sort_by_simplicity(found);
  std::vector<Match> matches;
  for (const PairCandidate& p : found) {
    matches.push_back(match_of(scene, p));
    measure(evidence, baseline, memory.at(p.a, p.a.order, Rows::all),
            memory.at(p.b, p.b.order, Rows::all), matches.back());
  }
  return matches;
}

}  // namespace ulpfuzz::diagnosis
