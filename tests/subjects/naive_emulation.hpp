#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

/// Dot products in a stated arithmetic and order, written from the definitions with 64-bit
/// significands and recursion: nothing in common with the emulation that it checks.
namespace ulpfuzz::naive_emulation {

using Number = long double;

/// x to a multiple of the quantum of a format, by `to_integer`: rintl or truncl.
template <class ToInteger>
Number on_grid(Number x, const FormatTraits& t, const ToInteger& to_integer) {
  if (x == 0 || !std::isfinite(x)) return x;
  const int exponent = std::max(std::ilogb(x), t.emin) - t.precision + 1;
  const Number y = std::ldexp(to_integer(std::ldexp(x, -exponent)), exponent);
  return std::fabs(y) >= std::ldexp(Number{1}, t.emax + 1)
             ? std::copysign(std::numeric_limits<Number>::infinity(), y)
             : y;
}

inline Number nearest(Number x, Format f) {
  return on_grid(x, traits(f), [](Number v) { return std::rint(v); });
}

inline Number converted(Number x, Format f, Rounding rounding) {
  if (rounding == Rounding::nearest_even) return nearest(x, f);
  if (rounding == Rounding::nearest_away)
    return on_grid(x, traits(f), [](Number v) { return std::round(v); });
  const Number y = on_grid(x, traits(f), [](Number v) { return std::trunc(v); });
  return std::isinf(y) && std::isfinite(x) ? std::copysign(Number{traits(f).max()}, x) : y;
}

class Dot {
 public:
  Dot(const Arithmetic& a, const Summation& s) : a_(a), s_(s) {}

  /// sum of x[i] w[i] (+ *bias). `by_unit`: operands are converted.
  float operator()(const std::vector<float>& x, const std::vector<float>& w, const float* bias,
                   bool by_unit) {
    by_unit_ = by_unit;
    x_.clear();
    w_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
      x_.push_back(pieces(x[i]));
      w_.push_back(pieces(w[i]));
    }
    Number b = 0;
    if (bias != nullptr) b = flushed(settle(flushed(*bias)));
    const Number* start = bias != nullptr && s_.bias_first ? &b : nullptr;
    const std::size_t parts = by_unit && a_.partials > 1 ? a_.partials : 1;
    Number y = parts == 1 ? part(start, 0, x.size()) : 0;
    for (std::size_t p = 0, from = 0; parts > 1 && p < parts; ++p) {
      const std::size_t to = from + x.size() / parts + (p < x.size() % parts);
      y = add(y, flushed(nearest(part(p == 0 ? start : nullptr, from, to), a_.partial)));
      from = to;
    }
    if (bias != nullptr && !s_.bias_first) y = add(y, b);
    return static_cast<float>(y);
  }

 private:
  bool narrow() const { return by_unit_ && a_.split != Split::none; }
  Number flushed(Number x) const {
    return a_.flushes_subnormals && std::fabs(x) < 0x1p-126L ? std::copysign(Number{0}, x) : x;
  }
  Number settle(Number x) const {
    const bool unit = by_unit_ && a_.unit.block > 0;
    return nearest(x, unit && a_.accumulate == Format::fp64 ? Format::fp32 : a_.accumulate);
  }
  Number add(Number x, Number y) const { return flushed(settle(x + y)); }

  Format piece_format() const {
    if (!narrow()) return by_unit_ ? a_.operand : Format::fp32;
    return a_.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
  }
  std::vector<Number> pieces(float x) const {
    std::vector<Number> list;
    Number rest = flushed(x);
    for (int p = 0; p < (narrow() ? 3 : 1); ++p) {
      const Number piece = flushed(converted(rest, piece_format(), a_.conversion));
      list.push_back(piece);
      rest = flushed(static_cast<float>(rest - piece));
    }
    return list;
  }
  /// Products of pieces i, j in the order they are added: the smallest first.
  std::vector<std::pair<int, int>> piece_pairs() const {
    std::vector<std::pair<int, int>> all = {{2, 2}, {2, 1}, {1, 2}, {2, 0}, {1, 1},
                                            {0, 2}, {1, 0}, {0, 1}, {0, 0}};
    std::size_t keep = 1;
    if (narrow() && a_.split == Split::bf16x9) keep = 9;
    if (narrow() && a_.split == Split::bf16x6) keep = 6;
    if (narrow() && (a_.split == Split::bf16x3 || a_.split == Split::tf32x3)) keep = 3;
    return {all.end() - static_cast<std::ptrdiff_t>(keep), all.end()};
  }

  Number add_term(Number sum, std::size_t i) const {
    for (const auto& [p, q] : piece_pairs()) {
      const Number x = x_[i][static_cast<std::size_t>(p)], w = w_[i][static_cast<std::size_t>(q)];
      if (s_.fused && a_.accumulate == Format::fp32)
        sum = flushed(
            std::fma(static_cast<float>(x), static_cast<float>(w), static_cast<float>(sum)));
      else
        sum = add(sum, flushed(settle(x * w)));
    }
    return sum;
  }
  Number run(Number sum, std::size_t from, std::size_t to, std::size_t step) const {
    for (std::size_t i = from; i < to; i += step) sum = add_term(sum, i);
    return sum;
  }
  /// Pairs of terms, then pairs of pairs; the left half is the larger power of two.
  Number pairwise(const Number* start, std::size_t from, std::size_t to) const {
    if (to - from <= 2) return run(start != nullptr ? *start : 0, from, to, 1);
    std::size_t left = 1;
    while (2 * left < to - from) left *= 2;
    return add(pairwise(start, from, from + left), pairwise(nullptr, from + left, to));
  }
  Number tree(const std::vector<Number>& v, std::size_t from, std::size_t to) const {
    if (to - from == 1) return v[from];
    std::size_t left = 1;
    while (2 * left < to - from) left *= 2;
    return add(tree(v, from, from + left), tree(v, from + left, to));
  }
  Number part(const Number* start, std::size_t from, std::size_t to) const {
    if (by_unit_ && a_.unit.block > 0) return unit(start, from, to);
    const Number first = start != nullptr ? *start : 0;
    if (s_.order == Summation::Order::sequential) return run(first, from, to, 1);
    if (s_.order == Summation::Order::pairwise) return pairwise(start, from, to);
    if (s_.order == Summation::Order::lanes) {
      std::vector<Number> lanes;
      for (std::size_t l = 0; l < std::min<std::size_t>(s_.lanes, to - from); ++l)
        lanes.push_back(run(l == 0 ? first : 0, from + l, to, s_.lanes));
      return lanes.empty() ? first : tree(lanes, 0, lanes.size());
    }
    Number sum = first;
    for (std::size_t i = to; i > from; --i) sum = add_term(sum, i - 1);
    return sum;
  }

  static int exponent(Number x, Format f) {
    return std::max(std::ilogb(x), f == Format::fp16 ? -14 : -126);
  }

  Number unit(const Number* start, std::size_t from, std::size_t to) const {
    Number sum = start != nullptr ? *start : 0;
    for (std::size_t i = from; i < to; i += a_.unit.block)
      for (const auto& [p, q] : piece_pairs()) {
        std::vector<std::pair<Number, Number>> factors;
        for (std::size_t j = i; j < std::min(i + a_.unit.block, to); ++j)
          factors.emplace_back(x_[j][static_cast<std::size_t>(p)],
                               w_[j][static_cast<std::size_t>(q)]);
        sum = flushed(block(sum, factors));
      }
    return sum;
  }
  Number block(Number sum, const std::vector<std::pair<Number, Number>>& factors) const {
    int top = -126;
    double plain = static_cast<double>(sum);
    if (sum != 0 && std::isfinite(sum)) top = std::max(top, std::ilogb(sum));
    for (const auto& [x, w] : factors) {
      plain += static_cast<double>(x * w);
      if (x != 0 && w != 0 && std::isfinite(x) && std::isfinite(w))
        top = std::max(top, exponent(x, piece_format()) + exponent(w, piece_format()));
    }
    if (!std::isfinite(plain)) return plain;
    const int quantum = top - a_.unit.fraction;
    const auto cut = [&](Number t) { return std::trunc(std::ldexp(t, -quantum)); };
    Number exact = cut(sum);
    for (const auto& [x, w] : factors) exact += cut(x * w);
    if (exact == 0) return 0;  // integers have no -0
    exact = std::ldexp(exact, quantum);
    const bool wide = a_.accumulate == Format::fp32 || a_.accumulate == Format::fp64;
    return wide ? on_grid(exact, traits(Format::fp32), [](Number v) { return std::trunc(v); })
                : nearest(exact, a_.accumulate);
  }

  Arithmetic a_;
  Summation s_;
  bool by_unit_ = true;
  std::vector<std::vector<Number>> x_, w_;
};

}  // namespace ulpfuzz::naive_emulation
