#include "soundness/sums.hpp"

#include <algorithm>
#include <numeric>

namespace ulpfuzz::bench {
namespace {

constexpr std::size_t greedy_limit = 48;  // it is quadratic

std::size_t log2_up(std::size_t n) {
  return n <= 1 ? 0 : static_cast<std::size_t>(std::bit_width(n - 1));
}

bool moves_terms(Order o) {
  return o == Order::ascending || o == Order::descending || o == Order::signs ||
         o == Order::shuffled || o == Order::reversed;
}

}  // namespace

template <class N>
std::size_t Summer<N>::lanes() const {
  switch (style_.order) {
    case Order::lanes4:
      return 4;
    case Order::lanes8:
      return 8;
    case Order::lanes32:
      return 32;
    default:
      return 1;
  }
}

template <class N>
const std::vector<std::size_t>& Summer<N>::arrange(std::size_t n,
                                                   const std::function<double(std::size_t)>& term) {
  index_.resize(n);
  std::iota(index_.begin(), index_.end(), std::size_t{0});
  if (style_.order == Order::reversed) std::reverse(index_.begin(), index_.end());
  if (style_.order == Order::shuffled) std::shuffle(index_.begin(), index_.end(), random_);
  const bool sized = style_.order == Order::ascending || style_.order == Order::descending;
  if (!sized && style_.order != Order::signs) return index_;
  std::vector<double> key(n);
  for (std::size_t i = 0; i < n; ++i) {
    key[i] = style_.order == Order::ascending ? -std::fabs(term(i)) : term(i);
    if (style_.order == Order::descending) key[i] = std::fabs(key[i]);
    if (std::isnan(key[i])) key[i] = 0;
  }
  std::stable_sort(index_.begin(), index_.end(),
                   [&](std::size_t i, std::size_t j) { return key[i] > key[j]; });
  return index_;
}

template <class N>
N Summer<N>::chain(const N* t, std::size_t n) {
  N s = t[0];
  for (std::size_t i = 1; i < n; ++i) s = s + t[i];
  level_ = n - 1;
  return s;
}

template <class N>
N Summer<N>::pairwise(const N* t, std::size_t n) {
  level_ = log2_up(n);
  spare_.assign(t, t + n);
  for (std::size_t left = n; left > 1;) {
    const std::size_t half = left / 2;
    for (std::size_t i = 0; i < half; ++i) spare_[i] = spare_[2 * i] + spare_[2 * i + 1];
    if (left % 2 == 1) spare_[half] = spare_[left - 1];
    left -= half;
  }
  return spare_[0];
}

template <class N>
N Summer<N>::in_lanes(const N* t, std::size_t n, std::size_t count) {
  if (n <= count) return pairwise(t, n);
  lane_.assign(t, t + count);
  for (std::size_t i = count; i < n; ++i) lane_[i % count] = lane_[i % count] + t[i];
  const N s = pairwise(lane_.data(), count);
  level_ = (n - 1) / count + log2_up(count);
  return s;
}

template <class N>
N Summer<N>::tree(const N* t, std::size_t n, std::size_t level) {
  level_ = std::max(level_, level);
  if (n == 1) return t[0];
  const std::size_t left = 1 + pick(random_, n - 1);
  const N a = tree(t, left, level + 1);
  return a + tree(t + left, n - left, level + 1);
}

template <class N>
N Summer<N>::split(const N* t, std::size_t n) {
  const std::size_t count = std::min<std::size_t>(n, 2 + style_.seed % 7);
  lane_.resize(count);
  std::size_t deepest = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const std::size_t from = p * n / count;
    lane_[p] = chain(t + from, (p + 1) * n / count - from);
    deepest = std::max(deepest, level_);
  }
  const N s = chain(lane_.data(), count);
  level_ = deepest + count - 1;
  return s;
}

template <class N>
N Summer<N>::greedy(N* t, std::size_t n) {
  const double side = style_.seed % 2 == 0 ? 1 : -1;
  N s = t[0];
  for (std::size_t i = 1; i < n; ++i) {
    std::size_t best = i;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t j = i; j < n; ++j) {
      const double error = side * (wide(s + t[j]) - (wide(s) + wide(t[j])));
      if (error > most) most = error, best = j;
    }
    std::swap(t[i], t[best]);
    s = s + t[i];
  }
  level_ = n - 1;
  return s;
}

template <class N>
N Summer<N>::add_all(N* t, std::size_t n) {
  level_ = 0;
  if (n == 0) return N(0);
  switch (style_.order) {
    case Order::pairwise:
      return pairwise(t, n);
    case Order::lanes4:
    case Order::lanes8:
    case Order::lanes32:
      return in_lanes(t, n, lanes());
    case Order::tree:
      return tree(t, n, 0);
    case Order::split:
      return split(t, n);
    default:
      return is_single<N> && style_.order == Order::greedy && n <= greedy_limit ? greedy(t, n)
                                                                                : chain(t, n);
  }
}

template <class N>
N Summer<N>::sum(std::vector<N>& terms) {
  if (moves_terms(style_.order)) {
    arrange(terms.size(), [&](std::size_t i) { return wide(terms[i]); });
    moved_.resize(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) moved_[i] = terms[index_[i]];
    terms.swap(moved_);
  }
  return add_all(terms.data(), terms.size());
}

template class Summer<float>;
template class Summer<double>;
template class Summer<long double>;
template class Summer<Narrow>;

}  // namespace ulpfuzz::bench
