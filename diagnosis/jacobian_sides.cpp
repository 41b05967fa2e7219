#include <algorithm>

#include "jacobian_search.hpp"
#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t most_screened = 16, most_fitted = 6;
/// Multiply-adds up to which every order of every sensitive candidate is tried.
constexpr double most_work = 1e5;

bool same(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same_difference(x, y); });
}

}  // namespace

JacobianMatches JacobianSearch::sides() {
  const auto a = side(evidence_.a);
  const auto b = side(evidence_.b);
  Pairs pairs;
  for (const auto& ca : a)
    for (const auto& cb : b) pairs.push_back({ca, cb, ca.score + cb.score});
  return matches(pairs);
}

JacobianMatches JacobianSearch::difference() {
  const auto wanted = scene_.sampled(evidence_.difference);
  Pairs pairs = screened_pairs(wanted);
  for (JacobianPair& p : pairs) fit(p, wanted);
  keep_best(pairs, most_fitted);
  for (JacobianPair& p : with_variants(pairs)) {
    fit(p, wanted);
    pairs.push_back(p);
  }
  return matches(pairs);
}

JacobianSearch::Candidates JacobianSearch::screened(std::span<const double> wanted) const {
  Candidates kept;
  for (const Prediction& p : predictions_) {
    kept.push_back(p.candidate);
    kept.back().score = score(wanted, p.values, scale(p.candidate.noise, 2));
  }
  keep_best(kept, most_screened);
  return kept;
}

JacobianSearch::Candidates JacobianSearch::side(std::span<const float> observed) const {
  const auto wanted = scene_.sampled(observed);
  const auto kept = screened(wanted);
  Candidates all = variants_of(kept);
  Candidates exact = exact_ones(all, observed, wanted);
  // One order tells little of sums that each order rounds its own way.
  if (exact.empty() && scene_.work() < most_work) exact = exact_ones(sensitive(), observed, wanted);
  if (!exact.empty()) return exact;
  // A side that is as near to the reference as fp32 usually is needs no other arithmetic.
  if (is_usual(baseline_, observed, scene_.independent())) all.clear();
  all.resize(std::min(all.size(), 3 * most_fitted));
  if (std::none_of(all.begin(), all.end(), [](const auto& c) { return c.variant == 0; }))
    all.push_back({});
  for (JacobianCandidate& c : all) fit(c, wanted);
  keep_best(all, most_fitted);
  return all;
}

JacobianSearch::Candidates JacobianSearch::exact_ones(const Candidates& all,
                                                      std::span<const float> observed,
                                                      std::span<const double> wanted) const {
  Candidates exact;
  std::vector<bool> found(all.size(), false);
  // A coarser class may give the same bits in another order, so all orders are tried where they are
  // cheap.
  const bool thorough = scene_.work() < most_work;
  for (std::size_t order = 0; order < orders().size() && (thorough || exact.empty()); ++order) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (found[i]) continue;
      JacobianCandidate c = all[i];
      c.order = order;
      c.score = 0;
      if (same(scene_.predict_sample(c), wanted) &&
          same_bits_but_zeros(scene_.predict(c), observed)) {
        exact.push_back(c);
        found[i] = true;
      }
    }
  }
  return exact;
}

JacobianSearch::Candidates JacobianSearch::sensitive() const {
  Candidates all;
  for (const Prediction& p : predictions_)
    if (p.candidate.noise > 0) all.push_back(p.candidate);
  return variants_of(all);
}

JacobianSearch::Pairs JacobianSearch::screened_pairs(std::span<const double> wanted) const {
  Pairs pairs;
  const Prediction& plain = predictions_.front();
  for (const Prediction& p : predictions_) {
    for (const Prediction& q : predictions_) {
      const bool alike = p.candidate.variant == q.candidate.variant;
      const bool one = &p == &plain || &q == &plain;
      if (!alike && !one) continue;
      const auto scales = scale(p.candidate.noise + q.candidate.noise, 3);
      pairs.push_back({p.candidate, q.candidate, score(wanted, apart(p.values, q.values), scales)});
    }
  }
  keep_best(pairs, most_screened);
  return pairs;
}

JacobianSearch::Pairs JacobianSearch::with_variants(const Pairs& pairs) const {
  Pairs others;
  for (const JacobianPair& p : pairs) {
    const JacobianCandidate& special = p.a.variant != 0 ? p.a : p.b;
    for (const JacobianCandidate& c : variants_of({special})) {
      if (c.variant == special.variant) continue;
      others.push_back(p);
      if (p.a.variant != 0) others.back().a.variant = c.variant;
      if (p.b.variant != 0) others.back().b.variant = c.variant;
    }
  }
  return others;
}

JacobianMatches match_jacobians(const Evidence& evidence, const Baseline& baseline) {
  JacobianSearch search(evidence, baseline);
  return evidence.difference.empty() ? search.sides() : search.difference();
}

}  // namespace ulpfuzz::diagnosis
