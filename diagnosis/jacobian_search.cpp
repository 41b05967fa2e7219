#include "jacobian_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t best_order = 0, other_order = 5;
constexpr std::size_t most_of_one_class = 2, most_compared = 64;
/// In nats: how much better a coarser arithmetic must fit than a finer one, and two than one.
constexpr double one_class = 8, two_classes = 24;

std::size_t class_of(const JacobianCandidate& c) { return variants()[c.variant].hypothesis; }

bool is_two(const JacobianPair& p) {
  return p.a.variant != 0 && p.b.variant != 0 && class_of(p.a) != class_of(p.b);
}

double penalty(const JacobianPair& p) {
  if (p.a.variant == 0 && p.b.variant == 0) return 0;
  return is_two(p) ? two_classes : one_class;
}

double rms_apart(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = a[i] - b[i];
    if (std::isfinite(d)) sum += d * d;
  }
  return a.empty() ? 0 : std::sqrt(sum / static_cast<double>(a.size()));
}

}  // namespace

bool same_bits_but_zeros(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::vector<double> apart(std::span<const double> a, std::span<const double> b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] == b[i] ? 0 : a[i] - b[i];
  return d;
}

JacobianSearch::JacobianSearch(const Evidence& e, const Baseline& baseline)
    : evidence_(e),
      baseline_(baseline),
      scene_(e, baseline),
      typical_(scene_.sampled(std::span<const double>(baseline.typical))),
      reference_(scene_.sampled(std::span<const double>(baseline.reference))) {
  for (std::size_t f = 0; f < families().size(); ++f) {
    const std::size_t first = families()[f].variants.front();
    if (!scene_.applies(first)) continue;
    const bool one = first == 0 || families()[f].whole;
    for (std::size_t plan = 0; plan < (one ? 1 : scene_.plan_count()); ++plan) predict(f, plan);
  }
}

void JacobianSearch::predict(std::size_t family, std::size_t plan) {
  const Family& f = families()[family];
  Prediction p;
  p.candidate = {f.variants.front(), plan, best_order, 0, 0};
  p.values = scene_.predict_sample(p.candidate);
  if (f.sensitive) {
    const JacobianCandidate other{f.variants.back(), plan, other_order, 0, 0};
    p.candidate.noise = rms_apart(p.values, scene_.predict_sample(other));
  }
  predictions_.push_back(std::move(p));
}

std::vector<double> JacobianSearch::scale(double noise, double factor) const {
  std::vector<double> s(typical_.size());
  for (std::size_t i = 0; i < s.size(); ++i)
    s[i] =
        std::max({factor * typical_[i], 2 * noise, std::fabs(reference_[i]) * 0x1p-26 + 0x1p-149});
  return s;
}

JacobianSearch::Candidates JacobianSearch::variants_of(const Candidates& kept) const {
  Candidates all;
  for (const JacobianCandidate& c : kept) {
    for (const Family& f : families()) {
      if (f.variants.front() != c.variant) continue;
      for (const std::size_t v : f.variants) {
        all.push_back(c);
        all.back().variant = v;
      }
    }
  }
  return all;
}

void JacobianSearch::fit(JacobianCandidate& c, std::span<const double> wanted) const {
  const auto scales = scale(c.noise, 0.5);
  JacobianCandidate best = c;
  best.score = std::numeric_limits<double>::infinity();
  for (c.order = 0; c.order < orders().size(); ++c.order) {
    c.score = score(wanted, scene_.predict_sample(c), scales);
    if (c.score < best.score) best = c;
  }
  c = best;
}

// One side's order after the other's.
void JacobianSearch::fit(JacobianPair& p, std::span<const double> wanted) const {
  const auto scales = scale(p.a.noise + p.b.noise, 0.5);
  p.score = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 2; ++round) {
    for (const bool first : {false, true}) {
      JacobianCandidate moving = first ? p.a : p.b;
      const auto still = scene_.predict_sample(first ? p.b : p.a);
      for (moving.order = 0; moving.order < orders().size(); ++moving.order) {
        const auto y = scene_.predict_sample(moving);
        const double s = score(wanted, first ? apart(y, still) : apart(still, y), scales);
        if (s >= p.score) continue;
        p.score = s;
        (first ? p.a : p.b) = moving;
      }
    }
  }
}

JacobianMatches JacobianSearch::matches(Pairs& pairs) const {
  JacobianMatches result;
  if (pairs.empty()) return result;
  const auto key = [](const JacobianPair& p) {
    return std::tuple(p.score + penalty(p), class_of(p.a) + class_of(p.b), p.a.plan + p.b.plan);
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const JacobianPair& l, const JacobianPair& r) { return key(l) < key(r); });
  if (pairs.size() > most_compared) pairs.resize(most_compared);
  std::vector<Match>& list = result.matches;
  std::vector<float> best_a, best_b;
  for (const JacobianPair& p : pairs) {
    if (is_two(p) && !is_two(pairs.front())) continue;
    // Of a class in few layers that changes nothing there, one example is enough.
    const Match match = scene_.match_of(p.a, p.b);
    const auto times =
        static_cast<std::size_t>(std::count_if(list.begin(), list.end(), [&](const Match& m) {
          return m.hypothesis == match.hypothesis;
        }));
    if (times >= most_of_one_class) continue;
    const auto a = scene_.predict(p.a);
    const auto b = scene_.predict(p.b);
    if (list.empty()) {
      result.cause = scene_.words_of(p.a, p.b);
      best_a = a;
      best_b = b;
    } else if (!same_bits_but_zeros(a, best_a) || !same_bits_but_zeros(b, best_b)) {
      continue;
    }
    list.push_back(match);
    measure(evidence_, baseline_, a, b, list.back());
  }
  return result;
}

}  // namespace ulpfuzz::diagnosis
