#pragma once

#include <vector>

#include "soundness/dots.hpp"
#include "soundness/elementary.hpp"

namespace ulpfuzz::bench {

/// Functions of a feature row of n values, by the usual formulas.
template <class N>
class Rows {
 public:
  Rows(const Style& style, const Arithmetic& how, Dots<N>& dots, Random& random)
      : f_(style, how, random), dots_(dots), formula_(is_machine<N> ? style.formula : 0) {}

  void softmax(const N* x, std::size_t n, N* y);
  void softmax_grad(const N* v, const N* s, std::size_t n, N* y);
  /// Layer norm if `centred`, else RMS norm.
  void norm(bool centred, float epsilon, const N* x, std::size_t n, N* y);
  void norm_grad(bool centred, float epsilon, const N* v, const N* x, std::size_t n, N* y);

 private:
  template <class F>
  N sum(std::size_t n, const F& term) {
    terms_.resize(n);
    for (std::size_t i = 0; i < n; ++i) terms_[i] = term(i);
    return dots_.sum(terms_);
  }
  // A sum over n, by division or by the rounded reciprocal.
  N over(N sum, std::size_t n) const {
    const N count = N(static_cast<double>(n));
    return formula_ == 5 ? sum * (N(1) / count) : sum / count;
  }
  N online_sum(const N* x, std::size_t n, N& top);
  N inverse(N variance, float epsilon) const;
  N variance(bool centred, const N* x, std::size_t n, N mean);

  Functions<N> f_;
  Dots<N>& dots_;
  int formula_;
  std::vector<N> terms_, hat_;
};

extern template class Rows<float>;
extern template class Rows<double>;
extern template class Rows<long double>;
extern template class Rows<Narrow>;

}  // namespace ulpfuzz::bench
