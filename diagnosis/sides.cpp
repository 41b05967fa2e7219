#include <algorithm>
#include <set>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t most_fitted = 16;

bool is_plain(const Candidate& c) { return c.pattern == 0; }

/// Found in one order, everything is tried in that order.
void close(Scene& scene, std::span<const Candidate> all, std::span<const float> observed,
           std::vector<Candidate>& exact) {
  std::set<std::size_t> found;
  std::set<std::pair<std::size_t, Pattern>> known;
  for (const Candidate& c : exact) {
    found.insert(c.order);
    known.emplace(c.variant, c.pattern);
  }
  std::vector<Candidate> others(all.begin(), all.end());
  std::erase_if(others, [&](const Candidate& c) { return known.contains({c.variant, c.pattern}); });
  const std::vector<std::size_t> in_orders(found.begin(), found.end());
  if (!scene.affords(others.size() * in_orders.size())) return;
  for (const Candidate& c : confirm(scene, others, observed, in_orders)) exact.push_back(c);
}

/// What predicts all bits of one side: among those that no score rules out; where order matters so
/// much that scores say little; among all.
std::vector<Candidate> exact_side(Scene& scene, std::span<const Candidate> screened,
                                  std::span<const Candidate> all, std::span<const float> observed,
                                  Depth depth) {
  std::vector<Candidate> likely(screened.begin(), screened.end());
  // Plain fp32 in every order, even where its first one is far off.
  if (std::none_of(likely.begin(), likely.end(), is_plain)) likely.emplace_back();
  auto exact = confirm(scene, likely, observed, all_orders());
  if (!exact.empty()) {
    close(scene, all, observed, exact);
    return exact;
  }
  std::vector<Candidate> rest(all.begin(), all.end());
  const auto split = std::stable_partition(rest.begin(), rest.end(), is_sensitive);
  for (const auto& [from, to] : {std::pair(rest.begin(), split), std::pair(split, rest.end())}) {
    const std::vector<Candidate> some(from, to);
    if (!exact.empty() || !scene.affords(some.size() * orders().size())) break;
    exact = confirm(scene, some, observed, all_orders());
    if (depth == Depth::exact) break;
  }
  return exact;
}

/// fp32 and one hypothesis.
std::vector<Candidate> of_class(std::span<const Candidate> side, std::size_t h) {
  std::vector<Candidate> own;
  for (const Candidate& c : side)
    if (is_plain(c) || hypothesis_of(c) == h) own.push_back(c);
  return own;
}

/// Each of one side with the first of the other, class by class: the sides do not depend on each
/// other.
std::vector<PairCandidate> crossed(std::span<const Candidate> a, std::span<const Candidate> b) {
  std::vector<PairCandidate> list;
  const auto add = [&](const Candidate& ca, const Candidate& cb) {
    list.push_back({ca, cb, ca.score + cb.score});
  };
  for (std::size_t h = 0; h < hypotheses().size(); ++h) {
    const auto own_a = of_class(a, h), own_b = of_class(b, h);
    if (own_a.empty() || own_b.empty()) continue;
    for (const Candidate& c : own_a)
      if (h == 0 || !is_plain(c) || !is_plain(own_b.front())) add(c, own_b.front());
    for (std::size_t i = 1; i < own_b.size(); ++i) add(own_a.front(), own_b[i]);
  }
  if (!list.empty() || a.empty() || b.empty()) return list;
  for (const Candidate& c : a) add(c, b.front());
  for (std::size_t i = 1; i < b.size(); ++i) add(a.front(), b[i]);
  return list;
}

bool finer(const Candidate& l, const Candidate& r) {
  return std::pair(hypothesis_of(l), l.pattern) < std::pair(hypothesis_of(r), r.pattern);
}

/// The best candidates of one side in the orders that fit best, and plain fp32 among them.
std::vector<Candidate> fitted(Scene& scene, std::vector<Candidate> screened,
                              std::span<const float> observed, const Baseline& baseline) {
  if (screened.size() > most_fitted) screened.resize(most_fitted);
  if (std::none_of(screened.begin(), screened.end(), is_plain)) screened.emplace_back();
  fit(scene, screened, observed, baseline);
  std::stable_sort(screened.begin(), screened.end(),
                   [](const Candidate& l, const Candidate& r) { return l.score < r.score; });
  return screened;
}

/// Those of `side` that predict the bits of `best` in its order.
std::vector<Candidate> alike(Scene& scene, const Candidate& best, std::span<const Candidate> side) {
  const auto bits = scene.predict(best.variant, best.order, best.pattern, Rows::all);
  std::vector<Candidate> list{best};
  for (Candidate c : side) {
    if (c.variant == best.variant && c.pattern == best.pattern) continue;
    c.order = best.order;
    if (same_values(scene.predict(c.variant, c.order, c.pattern, Rows::all), bits))
      list.push_back(c);
  }
  return list;
}

/// One side and, where it is not predicted, what fits it.
struct Side {
  std::vector<Candidate> screened, exact;
};

std::vector<PairCandidate> settled(Scene& scene, Side a, Side b, const Evidence& evidence,
                                   const Baseline& baseline) {
  const bool known_a = !a.exact.empty(), known_b = !b.exact.empty();
  // A side that is as near to the reference as fp32 usually is needs no other arithmetic.
  if (!known_a && is_usual(baseline, evidence.a)) a.screened.clear();
  if (!known_b && is_usual(baseline, evidence.b)) b.screened.clear();
  if (!known_a) a.exact = fitted(scene, a.screened, evidence.a, baseline);
  if (!known_b) b.exact = fitted(scene, b.screened, evidence.b, baseline);
  // All with all: which class is on both sides is decided by both.
  std::vector<PairCandidate> pairs;
  for (const Candidate& ca : a.exact)
    for (const Candidate& cb : b.exact) pairs.push_back({ca, cb, ca.score + cb.score});
  choose(pairs, scene.rows(Rows::few).size() * scene.width());
  const PairCandidate best = pairs.front();
  const auto same_a = known_a ? a.exact : alike(scene, best.a, a.exact);
  const auto same_b = known_b ? b.exact : alike(scene, best.b, b.exact);
  std::vector<PairCandidate> list{best};
  const auto is_best = [&](const PairCandidate& p) {
    return p.a.variant == best.a.variant && p.b.variant == best.b.variant &&
           p.a.pattern == best.a.pattern && p.b.pattern == best.b.pattern;
  };
  for (const PairCandidate& p : crossed(same_a, same_b))
    if (!is_best(p)) list.push_back(p);
  return list;
}

}  // namespace

Match match_of(const Scene& scene, const PairCandidate& pair) {
  const Candidate &a = pair.a, &b = pair.b;
  const Hypothesis &ha = hypotheses()[hypothesis_of(a)], &hb = hypotheses()[hypothesis_of(b)];
  Match m;
  const bool one = is_plain(b) || ha.name == hb.name;
  m.hypothesis = is_plain(a) ? hb.name : one ? ha.name : ha.name + " against " + hb.name;
  m.a = layer_names(scene.layers(), ha, a.pattern);
  m.b = layer_names(scene.layers(), hb, b.pattern);
  m.summation_a = describe(orders()[a.order]);
  m.summation_b = describe(orders()[b.order]);
  return m;
}

std::vector<Match> match_sides(Scene& scene, const Evidence& evidence, const Baseline& baseline,
                               Depth depth) {
  const bool exhaustive = is_exhaustive(scene, most_layers);
  auto predictions = predict_all(scene, exhaustive);
  if (!exhaustive)
    for (const auto side : {evidence.a, evidence.b}) deepen(scene, predictions, side, baseline);
  const auto all = everything(predictions);
  const auto look = [&](std::span<const float> observed) {
    Side side;
    side.screened = screen(scene, predictions, observed, baseline);
    side.exact = exact_side(scene, side.screened, all, observed, depth);
    std::stable_sort(side.exact.begin(), side.exact.end(), finer);
    return side;
  };
  const Side a = look(evidence.a), b = look(evidence.b);
  const bool exact = !a.exact.empty() && !b.exact.empty();
  if (!exact && depth == Depth::exact) return {};
  auto pairs = exact ? crossed(a.exact, b.exact) : settled(scene, a, b, evidence, baseline);
  if (exact) sort_by_simplicity(pairs);
  std::vector<Match> matches;
  for (const PairCandidate& p : pairs) {
    matches.push_back(match_of(scene, p));
    Match& m = matches.back();
    if (matches.size() == 1) {
      measure(evidence, baseline, scene.predict(p.a.variant, p.a.order, p.a.pattern, Rows::all),
              scene.predict(p.b.variant, p.b.order, p.b.pattern, Rows::all), m);
      continue;
    }
    const Match& best = matches.front();  // the same bits, so the same numbers
    m.exact = best.exact;
    m.residual_rms = best.residual_rms;
    m.residual_sigmas = best.residual_sigmas;
    m.correlation = best.correlation;
  }
  return matches;
}

}  // namespace ulpfuzz::diagnosis
