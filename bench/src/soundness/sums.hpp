#pragma once

#include <functional>
#include <vector>

#include "soundness/numbers.hpp"
#include "soundness/style.hpp"

namespace ulpfuzz::bench {

/// Adds terms in the order of a style.
template <class N>
class Summer {
 public:
  explicit Summer(const Style& style) : style_(style), random_(style.seed) {}

  /// Terms are destroyed.
  N sum(std::vector<N>& terms);
  /// The same for terms that are in their order already.
  N add_all(N* t, std::size_t n);
  N pairwise(const N* t, std::size_t n);
  /// Of n terms: the order in which they come, for structures that are chains.
  const std::vector<std::size_t>& arrange(std::size_t n,
                                          const std::function<double(std::size_t)>& term);
  /// Accumulators of the style; 1 for a chain.
  std::size_t lanes() const;
  /// Most additions on the way of a term to the last sum.
  std::size_t level() const { return level_; }

 private:
  N chain(const N* t, std::size_t n);
  N in_lanes(const N* t, std::size_t n, std::size_t count);
  N tree(const N* t, std::size_t n, std::size_t level);
  N split(const N* t, std::size_t n);
  N greedy(N* t, std::size_t n);

  Style style_;
  Random random_;
  std::size_t level_ = 0;
  std::vector<N> lane_, spare_, moved_;
  std::vector<std::size_t> index_;
};

extern template class Summer<float>;
extern template class Summer<double>;
extern template class Summer<long double>;
extern template class Summer<Narrow>;

}  // namespace ulpfuzz::bench
