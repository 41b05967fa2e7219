#pragma once

#include <cmath>
#include <vector>

#include "support/naive_unit.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

/// Dot products in a stated arithmetic and order, written from the definitions with 64-bit
/// significands and recursion: nothing in common with the emulation that it checks.
namespace ulpfuzz::naive_emulation {

class Dot : UnitSum {
 public:
  Dot(const Arithmetic& a, const Summation& s) : UnitSum(a), s_(s) {}

  /// sum of x[i] w[i] (+ *bias). `by_unit`: operands are converted.
  float operator()(const std::vector<float>& x, const std::vector<float>& w, const float* bias,
                   bool by_unit) {
    take(x, w, by_unit);
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
  Number settle(Number x) const {
    const bool unit = by_unit_ && a_.unit.block > 0;
    return nearest(x, unit && a_.accumulate == Format::fp64 ? Format::fp32 : a_.accumulate);
  }
  Number add(Number x, Number y) const { return flushed(settle(x + y)); }

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

  Summation s_;
};

}  // namespace ulpfuzz::naive_emulation
