#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "jacobian_arithmetic.hpp"

namespace ulpfuzz::diagnosis {

/// How both sides may have been computed.
struct JacobianPair {
  JacobianCandidate a, b;
  double score = 0;
};

/// Looks for the arithmetic of Jacobians: screens every hypothesis in every plan on the sample,
/// then looks closer at those that fit best.
class JacobianSearch {
 public:
  JacobianSearch(const Evidence& evidence, const Baseline& baseline);

  /// From both results: each side by itself.
  JacobianMatches sides();
  /// From their difference: pairs of plans of one class, or of one and plain fp32.
  JacobianMatches difference();

 private:
  struct Prediction {
    JacobianCandidate candidate;
    std::vector<double> values;
  };
  using Candidates = std::vector<JacobianCandidate>;
  using Pairs = std::vector<JacobianPair>;

  // jacobian_search.cpp
  void predict(std::size_t family, std::size_t plan);
  /// Of each element: how far off its prediction may be.
  std::vector<double> scale(double noise, double factor) const;
  /// All variants of the families of these.
  Candidates variants_of(const Candidates& kept) const;
  /// The order that fits best, and how well.
  void fit(JacobianCandidate& c, std::span<const double> wanted) const;
  void fit(JacobianPair& p, std::span<const double> wanted) const;
  /// The best pair, then those that predict its bits: simpler ones first.
  JacobianMatches matches(Pairs& pairs) const;

  // jacobian_sides.cpp
  Candidates screened(std::span<const double> wanted) const;
  /// What predicts every bit of a side in some order; where nothing does, what fits best.
  Candidates side(std::span<const float> observed) const;
  Candidates exact_ones(const Candidates& all, std::span<const float> observed,
                        std::span<const double> wanted) const;
  /// All candidates whose sums are not rounded in fp32.
  Candidates sensitive() const;
  Pairs screened_pairs(std::span<const double> wanted) const;
  /// The other variants of the families of these.
  Pairs with_variants(const Pairs& pairs) const;

  const Evidence& evidence_;
  const Baseline& baseline_;
  JacobianScene scene_;
  std::vector<double> typical_, reference_;
  std::vector<Prediction> predictions_;
};

/// The items with the least scores, in order.
template <class Item>
void keep_best(std::vector<Item>& items, std::size_t most) {
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& l, const Item& r) { return l.score < r.score; });
  if (items.size() > most) items.resize(most);
}

/// Bit for bit, but for the sign of zero: masks may be products or selections.
bool same_bits_but_zeros(std::span<const float> a, std::span<const float> b);
/// a - b; 0 where both are the same infinity.
std::vector<double> apart(std::span<const double> a, std::span<const double> b);

}  // namespace ulpfuzz::diagnosis
