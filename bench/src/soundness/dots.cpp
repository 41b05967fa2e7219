#include "soundness/dots.hpp"

#include <algorithm>
#include <array>

namespace ulpfuzz::bench {
namespace {

constexpr int no_exponent = -10000;

int exponent_of(double x) { return x == 0 || !std::isfinite(x) ? no_exponent : std::ilogb(x); }

// x as the float next to it towards zero, infinite where the exponent is beyond fp32's.
float cut_to_fp32(double x) {
  if (!(std::fabs(x) < 0x1p128))
    return static_cast<float>(std::copysign(std::numeric_limits<double>::infinity(), x));
  const auto y = static_cast<float>(x);
  return std::fabs(double{y}) > std::fabs(x) ? std::nextafter(y, 0.0f) : y;
}

}  // namespace

float add_block(const double* products, const int* exponents, std::size_t n, float accumulator,
                int fraction) {
  int top = exponent_of(accumulator);
  double plain = accumulator;
  for (std::size_t i = 0; i < n; ++i) {
    top = std::max(top, exponents[i]);
    plain += products[i];
  }
  if (!std::isfinite(plain)) return static_cast<float>(plain);
  if (top == no_exponent) return 0;
  // Each is less than 2^26 quanta, so that fp64 adds them exactly.
  const double quantum = std::ldexp(1.0, top - fraction);
  const double inverse = std::ldexp(1.0, fraction - top);
  double sum = std::trunc(double{accumulator} * inverse);
  for (std::size_t i = 0; i < n; ++i) sum += std::trunc(products[i] * inverse);
  return cut_to_fp32(sum * quantum);
}

template <class N>
N Dots<N>::sum(std::vector<N>& terms) {
  const N s = summer_.sum(terms);
  deepen(summer_.level());
  return s;
}

// Accumulators take their products by FMA; in trees each first product of a pair does.
template <class N>
N Dots<N>::by_fma(const N* a, const N* b, std::size_t n, const N* start) {
  if (style_.order == Order::pairwise || style_.order == Order::tree) {
    terms_.clear();
    for (std::size_t i = 0; i + 1 < n; i += 2)
      terms_.push_back(fused(a[i], b[i], a[i + 1] * b[i + 1]));
    if (n % 2 == 1) terms_.push_back(a[n - 1] * b[n - 1]);
    if (start) terms_.push_back(*start);
    const N s = summer_.add_all(terms_.data(), terms_.size());
    deepen(summer_.level() + 2);
    return s;
  }
  const auto& index = summer_.arrange(n, [&](std::size_t i) { return wide(a[i]) * wide(b[i]); });
  const std::size_t count =
      std::clamp<std::size_t>(summer_.lanes(), 1, std::max<std::size_t>(n, 1));
  sums_.assign(count, N(0));
  if (start) sums_[0] = *start;
  for (std::size_t i = 0; i < n; ++i) {
    N& s = sums_[i % count];
    s = fused(a[index[i]], b[index[i]], s);
  }
  const N s = summer_.pairwise(sums_.data(), count);
  deepen((n + count - 1) / count + summer_.level());
  return s;
}

template <class N>
N Dots<N>::plain(const N* a, const N* b, std::size_t n, const N* start) {
  terms_.clear();
  if (start) terms_.push_back(*start);
  for (std::size_t i = 0; i < n; ++i) terms_.push_back(a[i] * b[i]);
  const N s = summer_.sum(terms_);
  deepen(summer_.level() + 1);
  return s;
}

template <class N>
N Dots<N>::by_unit(const N* a, const N* b, std::size_t n, const N* start, const MatmulUnit& unit) {
  const auto& index = summer_.arrange(n, [&](std::size_t i) { return wide(a[i]) * wide(b[i]); });
  std::array<double, 64> products;
  std::array<int, 64> exponents;
  float s = start ? static_cast<float>(wide(*start)) : 0;
  for (std::size_t from = 0; from < n; from += unit.block) {
    const std::size_t count = std::min<std::size_t>(unit.block, n - from);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = wide(a[index[from + i]]), w = wide(b[index[from + i]]);
      products[i] = x * w;
      const bool apart = style_.unnormalised && products[i] != 0;
      exponents[i] = apart ? exponent_of(x) + exponent_of(w) : exponent_of(products[i]);
    }
    s = add_block(products.data(), exponents.data(), count, s, unit.fraction);
  }
  return N(s);
}

template <class N>
N Dots<N>::kernel(const N* a, const N* b, std::size_t n, const N* start, const MatmulUnit& unit) {
  if (is_single<N> && unit.block > 0) return by_unit(a, b, n, start, unit);
  return style_.fused && is_machine<N> ? by_fma(a, b, n, start) : plain(a, b, n, start);
}

// Contiguous parts, or every so many-th term.
template <class N>
N Dots<N>::in_parts(const N* start, const Arithmetic& how) {
  const std::size_t n = a_.size(), parts = is_machine<N> ? std::max(1u, how.partials) : 1;
  if (parts == 1) return kernel(a_.data(), b_.data(), n, start, how.unit);
  if (style_.formula % 2 == 1) {
    std::vector<N> a, b;
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t i = p; i < n; i += parts) a.push_back(a_[i]), b.push_back(b_[i]);
    a_ = a, b_ = b;
  }
  N s = N(0);
  for (std::size_t p = 0; p < parts; ++p) {
    const std::size_t from = p * n / parts, to = (p + 1) * n / parts;
    const N part =
        kernel(a_.data() + from, b_.data() + from, to - from, p == 0 ? start : nullptr, how.unit);
    const N kept = N(narrowed(wide(part), how.partial));
    s = p == 0 ? kept : s + kept;
  }
  depth_ += parts;  // at least the roundings to `partial` and of the last additions
  return s;
}

template <class N>
void Dots<N>::convert(const std::vector<N>& from, std::vector<N>& to, const Arithmetic& how) {
  to = from;
  if constexpr (is_single<N>) {
    if (how.operand == Format::fp32 || how.operand == Format::fp64) return;
    for (N& x : to) x = N(converted(static_cast<float>(x), how.operand, how.conversion));
  }
}

// Products of pieces: each is one term.
template <class N>
void Dots<N>::cut_up(const std::vector<N>& a, const std::vector<N>& b, const Arithmetic& how) {
  const Format piece = how.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
  const bool few = how.split == Split::tf32x3 || how.split == Split::bf16x3;
  const std::size_t last = few ? 1 : how.split == Split::bf16x6 ? 2 : 4;  // sum of piece numbers
  const std::size_t count = few ? 2 : 3, n = a.size();
  const auto cut = [&](const std::vector<N>& from) {
    std::vector<std::array<float, 3>> to(n);
    for (std::size_t i = 0; i < n; ++i) {
      auto rest = static_cast<float>(wide(from[i]));
      for (std::size_t k = 0; k < count; ++k) {
        to[i][k] = converted(rest, piece, how.conversion);
        rest -= to[i][k];
      }
    }
    return to;
  };
  const auto pa = cut(a), pb = cut(b);
  a_.clear(), b_.clear();
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t l = 0; l < count && k + l <= last; ++l)
      for (std::size_t i = 0; i < n; ++i) a_.push_back(N(pa[i][k])), b_.push_back(N(pb[i][l]));
}

template <class N>
N Dots<N>::matmul(const std::vector<N>& a, const std::vector<N>& b, const N* bias,
                  const Arithmetic& how) {
  const bool cut = is_single<N> && how.split != Split::none;
  if (cut) {
    cut_up(a, b, how);
  } else {
    convert(a, a_, how);
    convert(b, b_, how);
  }
  const N* start = style_.bias == Bias::first ? bias : nullptr;
  const std::size_t before = depth_;
  depth_ = 0;
  N s = in_parts(start, how);
  if (bias && !start) {
    s = s + *bias;
    ++depth_;
  }
  deepen(before);
  return s;
}

template class Dots<float>;
template class Dots<double>;
template class Dots<long double>;
template class Dots<Narrow>;

}  // namespace ulpfuzz::bench
