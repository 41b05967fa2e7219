#include "soundness/rows.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr std::size_t online_block = 16;
// Largest logit for which frameworks may leave out the shift.
constexpr double unshifted_limit = 40;

}  // namespace

// Block by block, as flash attention does: the sum is rescaled where the maximum grows.
template <class N>
N Rows<N>::online_sum(const N* x, std::size_t n, N& top) {
  N total = N(0);
  for (std::size_t from = 0; from < n; from += online_block) {
    const std::size_t count = std::min(online_block, n - from);
    N larger = from == 0 ? x[0] : top;
    for (std::size_t i = 0; i < count; ++i) larger = x[from + i] > larger ? x[from + i] : larger;
    const N part = sum(count, [&](std::size_t i) { return f_.exp(x[from + i] - larger); });
    total = from == 0 ? part : total * f_.exp(top - larger) + part;
    top = larger;
  }
  return total;
}

template <class N>
void Rows<N>::softmax(const N* x, std::size_t n, N* y) {
  N top = x[0];
  for (std::size_t i = 1; i < n; ++i) top = x[i] > top ? x[i] : top;
  const N log2e = N(1.44269504088896340736);
  const auto power = [&](std::size_t i) {
    switch (formula_) {
      case 1:
        return f_.exp2((x[i] - top) * log2e);
      case 3:
        return f_.exp(std::fabs(wide(top)) <= unshifted_limit ? x[i] : x[i] - top);
      case 5:
        // The error of top log2 e is common to all and cancels, unless it is huge itself.
        if (std::fabs(wide(top)) > 1e6) return f_.exp(x[i] - top);
        return f_.exp2(fused(x[i], log2e, -(top * log2e)));
      default:
        return f_.exp(x[i] - top);
    }
  };
  std::vector<N> e(n);
  for (std::size_t i = 0; i < n; ++i) e[i] = power(i);
  const N total =
      formula_ == 6 ? online_sum(x, n, top) : sum(n, [&](std::size_t i) { return e[i]; });
  const N reciprocal = N(1) / total;
  for (std::size_t i = 0; i < n; ++i) y[i] = formula_ == 2 ? e[i] * reciprocal : e[i] / total;
}

template <class N>
void Rows<N>::softmax_grad(const N* v, const N* s, std::size_t n, N* y) {
  const N c = sum(n, [&](std::size_t i) { return s[i] * v[i]; });
  for (std::size_t i = 0; i < n; ++i) {
    if (formula_ == 3) {
      y[i] = fused(s[i], v[i], -(s[i] * c));
    } else {
      y[i] = formula_ % 2 == 1 ? s[i] * v[i] - s[i] * c : s[i] * (v[i] - c);
    }
  }
}

// Two passes, or mean x^2 - mean^2 in one.
template <class N>
N Rows<N>::variance(bool centred, const N* x, std::size_t n, N mean) {
  const bool one_pass = centred && (formula_ == 1 || formula_ == 5);
  const N square = over(sum(n,
                            [&](std::size_t i) {
                              const N d = one_pass ? x[i] : x[i] - mean;
                              return d * d;
                            }),
                        n);
  if (!one_pass) return square;
  const N v = square - mean * mean;
  return v < N(0) ? N(0) : v;
}

template <class N>
N Rows<N>::inverse(N variance, float epsilon) const {
  const N w = variance + N(epsilon);
  return formula_ >= 4 ? f_.rsqrt(w) : N(1) / square_root(w);
}

template <class N>
void Rows<N>::norm(bool centred, float epsilon, const N* x, std::size_t n, N* y) {
  const N mean = centred ? over(sum(n, [&](std::size_t i) { return x[i]; }), n) : N(0);
  const N v = variance(centred, x, n, mean);
  const N r = inverse(v, epsilon);
  const N root = square_root(v + N(epsilon));
  const N shift = -mean * r;
  for (std::size_t i = 0; i < n; ++i) {
    switch (formula_) {
      case 2:
        y[i] = x[i] * r + shift;
        break;
      case 6:
        y[i] = fused(x[i], r, shift);
        break;
      case 3:
        y[i] = (x[i] - mean) / root;
        break;
      default:
        y[i] = (x[i] - mean) * r;
    }
  }
}

template <class N>
void Rows<N>::norm_grad(bool centred, float epsilon, const N* v, const N* x, std::size_t n, N* y) {
  const N mean = centred ? over(sum(n, [&](std::size_t i) { return x[i]; }), n) : N(0);
  const N r = inverse(variance(centred, x, n, mean), epsilon);
  hat_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    hat_[i] = formula_ == 2 ? x[i] * r - mean * r : (x[i] - mean) * r;
  const N dot = sum(n, [&](std::size_t i) { return v[i] * hat_[i]; });
  const N total = centred ? sum(n, [&](std::size_t i) { return v[i]; }) : N(0);
  const N count = N(static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    if (formula_ == 1 || formula_ == 7) {
      y[i] = r / count * (count * v[i] - total - hat_[i] * dot);
    } else if (formula_ == 3) {
      y[i] = r * v[i] - r * over(total, n) - r * (hat_[i] * over(dot, n));
    } else {
      y[i] = r * (v[i] - over(total, n) - hat_[i] * over(dot, n));
    }
  }
}

template class Rows<float>;
template class Rows<double>;
template class Rows<long double>;
template class Rows<Narrow>;

}  // namespace ulpfuzz::bench
