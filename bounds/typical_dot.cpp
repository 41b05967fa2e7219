#include "typical_dot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "model.hpp"

namespace ulpfuzz::bounds {
namespace {

// Of a split: how many kept products of pieces have so many low pieces.
std::array<double, 5> products_by_order(Split split) {
  switch (split) {
    case Split::none:
      return {1};
    case Split::bf16x6:
      return {1, 2, 3};
    case Split::bf16x9:
      return {1, 2, 3, 2, 1};
    default:
      return {1, 2};
  }
}

double square(double x) { return x * x; }

// Sums of 1, k and k^2 for k = 1..n.
double sum_k(double n) { return n * (n + 1) / 2; }
double sum_k2(double n) { return n * (n + 1) * (2 * n + 1) / 6; }

// A unit cuts the terms of a block to `fraction` bits below the largest exponent, which is that of
// the accumulator for all but the first blocks, and the sum to 24 bits: all toward zero. The part
// of the sum that the data's signs share is biased, the rest is not.
double unit_variance(const DotMoments& m, const MatmulUnit& unit, double count) {
  const double blocks = std::ceil(count / unit.block);
  const double size = count / blocks;
  const double mantissa = 0.72;  // mean of 2^exponent / magnitude
  const double cut = std::ldexp(1.0, -unit.fraction);
  const double last = unit.fraction > 23 ? 0x1p-23 : 0;
  const double mean = mantissa / 2 * (size * cut + last);
  const double bias = mean * blocks / 2 * std::fabs(m.sum);
  double sums = 0;
  const double step = static_cast<double>(m.terms) / blocks;
  for (double j = 1; j <= blocks; ++j) sums += m.partial_sum(j * step);
  const double spread = square(mantissa) * sums * (size * square(cut) + square(last)) / 3;
  return (square(bias) + spread) * (1 - m.exact);
}

// Adding a small piece errs by the piece at most.
double added(const DotMoments& m, const Arithmetic& a, bool matmul, double length,
             double rounding) {
  const double sums = m.partial_sums(1, length);
  if (!matmul || a.split == Split::none) return rounding * sums * (1 - m.exact);
  const double piece = rms_nearest * (a.split == Split::tf32x3 ? 0x1p-11 : 0x1p-8);
  double variance = 0, size = m.squares * length / static_cast<double>(m.terms);
  for (const double count : products_by_order(a.split)) {
    variance += count * std::min(rounding * sums, size);
    size *= square(piece);
  }
  return variance;
}

}  // namespace

// E S_k^2 = k (n - k) / (n (n - 1)) (Q - y^2 / n) + k^2 y^2 / n^2, drawing without replacement.
double DotMoments::partial_sums(double first, double last) const {
  const double n = static_cast<double>(terms);
  if (n < 1 || last < first) return 0;
  const double k = sum_k(last) - sum_k(first - 1);
  const double k2 = sum_k2(last) - sum_k2(first - 1);
  const double spread = n > 1 ? (squares - sum * sum / n) / (n * (n - 1)) : 0;
  return std::max(spread, 0.0) * (n * k - k2) + square(sum / n) * k2;
}

double typical_dot(const DotMoments& m, const Arithmetic& a, bool products, bool matmul,
                   const double* bias) {
  if (m.terms == 0) return 0;
  const double u = traits(a.accumulate).unit_roundoff();
  const double n = static_cast<double>(m.terms);
  const double rounding = square(rms_nearest * u);
  double variance = bias && *bias != 0 ? rounding * square(m.sum + *bias) : 0;
  const double parts = a.partials > 1 ? std::min(static_cast<double>(a.partials), n) : 1;
  const double length = n / parts;
  if (products && matmul && a.unit.block != 0) {
    double passes = 0;
    for (const double count : products_by_order(a.split)) passes += count;
    variance += unit_variance(m, a.unit, passes * n);
  } else {
    const bool exact = products && matmul && converts_operands(a);
    if (products && !exact) variance += rounding * m.squares * (1 + 1 / n) / 2;
    // The first of a sum's terms is not added to anything.
    variance +=
        parts * (added(m, a, products && matmul, length, rounding) - rounding * m.partial_sum(1));
  }
  if (parts > 1) {
    const double up = std::max(traits(a.partial).unit_roundoff(), u);
    for (double j = 2; j <= parts; ++j) variance += rounding * m.partial_sum(j * length);
    if (up > u) variance += square(rms_nearest * up) * parts * m.partial_sum(length);
  }
  return std::max(variance, 0.0);
}

}  // namespace ulpfuzz::bounds
