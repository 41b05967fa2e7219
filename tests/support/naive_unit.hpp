#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ulpfuzz/core/arithmetic.hpp"

/// Matmul units and the conversion of their operands, written from the definitions with 64-bit
/// significands: nothing in common with the emulation that they check.
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

/// Sums of products of x and w by the unit of an arithmetic.
class UnitSum {
 public:
  explicit UnitSum(const Arithmetic& a) : a_(a) {}

  /// Vectors of one length. `by_unit`: operands are converted.
  void take(const std::vector<float>& x, const std::vector<float>& w, bool by_unit = true) {
    by_unit_ = by_unit;
    x_.clear();
    w_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
      x_.push_back(pieces(x[i]));
      w_.push_back(pieces(w[i]));
    }
  }

  /// *start (0 if there is none) + sum of x[i] w[i], from <= i < to.
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

  Number flushed(Number x) const {
    return a_.flushes_subnormals && std::fabs(x) < 0x1p-126L ? std::copysign(Number{0}, x) : x;
  }

 protected:
  bool narrow() const { return by_unit_ && a_.split != Split::none; }
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

  static int exponent(Number x, Format f) {
    return std::max(std::ilogb(x), f == Format::fp16 ? -14 : -126);
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
  bool by_unit_ = true;
  std::vector<std::vector<Number>> x_, w_;
};

}  // namespace ulpfuzz::naive_emulation
