#include "soundness/activations.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr long double sqrt_2_over_pi = 0.797884560802865355879892119868763737L;
constexpr long double inverse_sqrt_2 = 0.707106781186547524400844362104849039L;
constexpr long double inverse_sqrt_2pi = 0.398942280401432677939946059934381868L;
constexpr long double cubic = 0.044715L;

}  // namespace

template <class N>
N Activations<N>::tanh(N x) const {
  switch (formula_) {
    case 1:
      return N(1) - N(2) / (f_.exp(N(2) * x) + N(1));
    case 3:
      return N(2) * (N(1) / (N(1) + f_.exp(N(-2) * x))) - N(1);
    case 5: {
      const N e = f_.exp(N(-2) * size(x));
      const N t = (N(1) - e) / (N(1) + e);
      return x < N(0) ? -t : t;
    }
    default:
      return f_.tanh(x);
  }
}

template <class N>
N Activations<N>::sigmoid(N x) const {
  switch (formula_) {
    case 1:
      return N(0.5) * (N(1) + f_.tanh(N(0.5) * x));
    case 3:
      return fused(N(0.5), f_.tanh(N(0.5) * x), N(0.5));
    case 2: {
      const N e = f_.exp(-size(x));
      return x < N(0) ? e / (N(1) + e) : N(1) / (N(1) + e);
    }
    default:
      return N(1) / (N(1) + f_.exp(-x));
  }
}

template <class N>
N Activations<N>::softplus(N x) const {
  switch (formula_) {
    case 1:
      return wide(x) < 80 ? f_.log(N(1) + f_.exp(x)) : x;
    case 3:
      return x > N(20) ? x : f_.log1p(f_.exp(x));
    case 5:
      return bigger(x, N(0)) + f_.log(N(1) + f_.exp(-size(x)));
    default:
      return bigger(x, N(0)) + f_.log1p(f_.exp(-size(x)));
  }
}

template <class N>
N Activations<N>::gelu_erf(N x) const {
  switch (formula_) {
    case 1:
      return x * (N(0.5) * (N(1) + f_.erf(x * k(inverse_sqrt_2))));
    case 3:
      return N(0.5) * x * (N(1) + f_.erf(x / k(1.41421356237309504880L)));
    case 5:
      return x * fused(N(0.5), f_.erf(x * k(inverse_sqrt_2)), N(0.5));
    default:
      return N(0.5) * x * (N(1) + f_.erf(x * k(inverse_sqrt_2)));
  }
}

template <class N>
N Activations<N>::gelu_tanh(N x) const {
  const N inner = formula_ % 4 == 1 ? k(sqrt_2_over_pi) * x * (N(1) + k(cubic) * x * x)
                                    : k(sqrt_2_over_pi) * (x + k(cubic) * x * x * x);
  if (formula_ == 3) return x * (N(0.5) * (N(1) + f_.tanh(inner)));
  if (formula_ == 5) return x / (N(1) + f_.exp(N(-2) * inner));
  return N(0.5) * x * (N(1) + f_.tanh(inner));
}

template <class N>
N Activations<N>::gelu_tanh_slope(N x) const {
  const N square = x * x;
  const N t = f_.tanh(k(sqrt_2_over_pi) * (x + k(cubic) * (square * x)));
  const N rest = formula_ % 2 == 1 ? (N(1) - t) * (N(1) + t) : N(1) - t * t;
  const N inner = k(sqrt_2_over_pi) * (N(1) + N(3) * k(cubic) * square);
  if (formula_ == 2) return N(0.5) * ((N(1) + t) + x * rest * inner);
  return N(0.5) * (N(1) + t) + N(0.5) * x * rest * inner;
}

template <class N>
N Activations<N>::value(Op op, float alpha_, N x) const {
  const N alpha = N(alpha_);
  switch (op) {
    case Op::relu:
      return x > N(0) ? x : N(0);
    case Op::leaky_relu:
      return x > N(0) ? x : alpha * x;
    case Op::tanh:
      return tanh(x);
    case Op::sigmoid:
      return sigmoid(x);
    case Op::silu:
      return formula_ == 5 ? x / (N(1) + f_.exp(-x)) : x * sigmoid(x);
    case Op::gelu_erf:
      return gelu_erf(x);
    case Op::gelu_tanh:
      return gelu_tanh(x);
    case Op::softplus:
      return softplus(x);
    default:
      if (x > N(0)) return x;
      return formula_ % 2 == 1 ? alpha * (f_.exp(x) - N(1)) : alpha * f_.expm1(x);
  }
}

template <class N>
N Activations<N>::left_of_kink(Op op, N alpha, N x) const {
  if (op == Op::relu) return N(0);
  if (op == Op::leaky_relu) return alpha;
  return formula_ % 2 == 1 ? value(Op::elu, static_cast<float>(wide(alpha)), x) + alpha
                           : alpha * f_.exp(x);
}

template <class N>
N Activations<N>::slope(Op op, float alpha, N x) const {
  const N s = op == Op::sigmoid || op == Op::silu || op == Op::softplus ? sigmoid(x) : N(0);
  switch (op) {
    case Op::tanh: {
      const N t = tanh(x);
      if (formula_ % 4 == 1) return (N(1) - t) * (N(1) + t);
      return formula_ == 4 ? fused(-t, t, N(1)) : N(1) - t * t;
    }
    case Op::sigmoid:
      return formula_ == 3 ? s - s * s : s * (N(1) - s);
    case Op::silu:
      if (formula_ == 3) return s + x * s * (N(1) - s);
      return formula_ == 5 ? s + (x * s) * (N(1) - s) : s * (N(1) + x * (N(1) - s));
    case Op::gelu_erf: {
      const N density = k(inverse_sqrt_2pi) * f_.exp(N(-0.5) * x * x);
      return N(0.5) * (N(1) + f_.erf(x * k(inverse_sqrt_2))) + x * density;
    }
    case Op::gelu_tanh:
      return gelu_tanh_slope(x);
    case Op::softplus:
      return formula_ == 3 && x > N(20) ? N(1) : s;
    default: {
      if (x > N(0)) return N(1);
      if (!is_machine<N> || x < N(0)) return left_of_kink(op, N(alpha), x);
      const N left = left_of_kink(op, N(alpha), x);
      return left + N(style_.at_kink) * (N(1) - left);
    }
  }
}

template class Activations<float>;
template class Activations<double>;
template class Activations<long double>;
template class Activations<Narrow>;

}  // namespace ulpfuzz::bench
