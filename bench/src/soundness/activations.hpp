#pragma once

#include "soundness/elementary.hpp"
#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz::bench {

/// Activations and their slopes by the usual formulas.
template <class N>
class Activations {
 public:
  Activations(const Style& style, const Arithmetic& how, Random& random)
      : f_(style, how, random), style_(style), formula_(formula(style, how)) {}

  N value(Op op, float alpha, N x) const;
  N slope(Op op, float alpha, N x) const;

 private:
  // Accurate forms have even numbers; the reference takes form 0.
  static int formula(const Style& style, const Arithmetic& how) {
    if (!is_machine<N>) return 0;
    return how.formulas == Formulas::accurate ? style.formula & ~1 : style.formula;
  }
  static N k(long double x) {
    if constexpr (is_machine<N>) {
      return N(static_cast<double>(x));
    } else {
      return x;
    }
  }
  static N bigger(N a, N b) { return a > b ? a : b; }
  static N size(N a) { return a < N(0) ? -a : a; }

  N tanh(N x) const;
  N sigmoid(N x) const;
  N softplus(N x) const;
  N gelu_tanh(N x) const;
  N gelu_tanh_slope(N x) const;
  N gelu_erf(N x) const;
  N left_of_kink(Op op, N alpha, N x) const;

  Functions<N> f_;
  const Style& style_;
  int formula_;
};

extern template class Activations<float>;
extern template class Activations<double>;
extern template class Activations<long double>;
extern template class Activations<Narrow>;

}  // namespace ulpfuzz::bench
