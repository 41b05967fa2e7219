#include <algorithm>
#include <cmath>

#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {
namespace {

/// Squares below may have lost bits to underflow.
constexpr double tiny_square = 1e-280;

double square(double x) { return x * x; }

// An operand: variances that it brings; how far its conversion moves it where that is known or has
// a sign of its own, and the variance of what is left.
struct Factor {
  const Value& value;
  std::vector<double> brought, shift, converted;
};

// Relative deviation of what is computed with in place of a split operand: of what the kept
// products lose, half belongs to each. The factors are measured.
double split_share(const Arithmetic& a) {
  const bool cut = a.conversion == Rounding::toward_zero;
  const double v = rms_nearest * traits(operand_format(a)).unit_roundoff() * (cut ? 2 : 1);
  switch (a.split) {
    case Split::bf16x9:
      return 0;
    case Split::bf16x6:
      return v * v * v;
    default:
      return 1.05 * v * v;
  }
}

void convert(const TypicalNode& n, const Arithmetic& a, std::size_t k, Factor& f) {
  const double x = f.value.value[k];
  if (n.conditional) {
    // Straddles are what the conversion leaves of what it is brought.
    if (a.split != Split::none) return;
    f.converted[k] = flip_variance(x, f.brought[k], a.operand, a.conversion);
    f.brought[k] = 0;
  } else if (a.split != Split::none) {
    f.converted[k] = square(split_share(a) * x);
  } else if (f.value.error_free || f.value.error[k] == 0) {
    f.shift[k] = round_to(x, a.operand, a.conversion) - x;
  } else if (a.conversion == Rounding::toward_zero) {
    const double v = 2 * traits(a.operand).unit_roundoff();
    f.shift[k] = -mean_truncated * v * x;
    f.converted[k] = square(deviation_truncated * v * x);
  } else {
    const FormatTraits& to = traits(a.operand);
    f.converted[k] = square(rms_nearest * to.unit_roundoff() * x);
    if (std::fabs(x) < std::ldexp(1.0, to.emin))
      f.converted[k] += square(std::min(std::fabs(x), to.least() / 2));
  }
}

Factor factor_of(const TypicalNode& n, std::size_t i, bool through_unit, const Variances& v) {
  const Value& x = n.operand(i);
  const Arithmetic& a = n.arithmetic.stated;
  Factor f{x, v.total[n.node.args[i]], {}, {}};
  f.shift.assign(x.count() + slack, 0);
  f.converted.assign(x.count() + slack, 0);
  const bool fitting = n.kept[n.node.args[i]] && fits(*n.kept[n.node.args[i]], operand_format(a));
  if (through_unit && converts_operands(a) && !fitting)
    for (std::size_t k = 0; k < x.count(); ++k) convert(n, a, k, f);
  return f;
}

// One dot product: operands from, step; the result at `to`.
struct Strand {
  std::size_t a, a_step, b, b_step, k;
};

// Products of operands of p bits have 2p, and adding t to a larger S rounds what of them lies below
// the last bit of S: (t / S)^2 4^(24 - 2p) of the variance is missing, as far as that is below 1.
double exact_share(const DotMoments& m, const Factor& a, const Factor& b, const Strand& s,
                   const FormatTraits& f) {
  const double n = static_cast<double>(m.terms);
  const double sum = m.partial_sums(1, n);
  if (!(sum > tiny_square)) return 0;
  const double scale = std::ldexp(1.0, 2 * (24 - 2 * f.precision)) * n / sum;
  double share = 0;
  for (std::size_t i = 0; i < s.k; ++i) {
    const double t = a.value.value[s.a + i * s.a_step] * b.value.value[s.b + i * s.b_step];
    if (t != 0) share += std::min(1.0, t * t * scale) / n;
  }
  return std::min(share, 0.97);  // sums have low bits of their own
}

void dot(const TypicalNode& n, const Factor& a, const Factor& b, const Strand& s, bool matmul,
         const double* bias, std::size_t to, Variances& v) {
  DotMoments moments;
  double brought = 0, converted = 0, shifts = 0, shift_squares = 0, lost = 0;
  for (std::size_t i = 0; i < s.k; ++i) {
    const std::size_t p = s.a + i * s.a_step, q = s.b + i * s.b_step;
    const double x = a.value.value[p], w = b.value.value[q];
    moments.add(x * w);
    lost += square(underflow(x * w, n.arithmetic));
    brought += x * x * b.brought[q] + w * w * a.brought[p] + a.brought[p] * b.brought[q];
    converted += x * x * b.converted[q] + w * w * a.converted[p];
    const double shift = x * b.shift[q] + w * a.shift[p];
    shifts += std::fabs(shift * x * w);
    shift_squares += shift * shift;
  }
  converted += shift_squares;
  if (n.arithmetic.model.sum_eta > 0) lost += square(underflow(moments.sum, n.arithmetic));
  // Truncation moves all terms toward zero, by shares of them that have a mean: so is their sum.
  if (n.arithmetic.stated.conversion == Rounding::toward_zero && moments.squares > tiny_square) {
    const double share = square(shifts / moments.squares);
    converted += share * (square(moments.sum) - moments.squares);
  }
  converted = std::max(converted, 0.0);
  if (matmul && converts_operands(n.arithmetic.stated))
    moments.exact = exact_share(moments, a, b, s, traits(operand_format(n.arithmetic.stated)));
  const double rounding = n.y().local[to] > 0
                              ? typical_dot(moments, n.arithmetic.stated, true, matmul, bias) + lost
                              : 0;
  v.local[n.id][to] = converted + rounding;
  v.total[n.id][to] = brought + converted + rounding;
}

void typical_outer_sum(const TypicalNode& n, Variances& v) {
  const std::size_t k = n.operand(0).entries * n.operand(0).rows;
  const bool matmul = k > 1 || n.arithmetic.stated.outer_by_matmul;
  const Factor a = factor_of(n, 0, matmul, v), b = factor_of(n, 1, matmul, v);
  for (std::size_t i = 0; i < n.y().count(); ++i)
    dot(n, a, b, {i / n.y().cols, a.value.cols, i % n.y().cols, b.value.cols, k}, matmul, nullptr,
        i, v);
}

}  // namespace

void typical_product(const TypicalNode& n, Variances& v) {
  if (n.node.op == Op::outer_sum) return typical_outer_sum(n, v);
  const bool linear = n.node.op == Op::linear;
  const Value& left = n.operand(0);
  const Value& right = n.operand(1);
  const bool flip_a = !linear && n.node.transpose_a, flip_b = linear || n.node.transpose_b;
  const std::size_t k = flip_a ? left.rows : left.cols;
  const bool matmul = linear || k > 1 || n.arithmetic.stated.outer_by_matmul;
  const Factor a = factor_of(n, 0, matmul, v), b = factor_of(n, 1, matmul, v);
  const Value& y = n.y();
  for (std::size_t e = 0, i = 0; e < y.entries; ++e) {
    const std::size_t at_a = n.offset(0, e), at_b = n.offset(1, e);
    for (std::size_t r = 0; r < y.rows; ++r)
      for (std::size_t j = 0; j < y.cols; ++j, ++i) {
        const double* bias = n.node.arity == 3 ? n.operand(2).value.data() + j : nullptr;
        dot(n, a, b,
            {at_a + (flip_a ? r : r * left.cols), flip_a ? left.cols : 1,
             at_b + (flip_b ? j * right.cols : j), flip_b ? 1 : right.cols, k},
            matmul, bias, i, v);
      }
  }
}

void typical_sum(const TypicalNode& n, Variances& v) {
  const Value& x = n.operand(0);
  const Value& y = n.y();
  const auto& from = v.total[n.node.args[0]];
  const std::size_t groups = n.node.op == Op::batch_sum ? 1 : x.entries;
  const std::size_t width = y.count() / std::max<std::size_t>(groups, 1);
  const std::size_t terms = n.node.op == Op::batch_sum ? x.entries : x.rows;
  for (std::size_t i = 0; i < y.count(); ++i) {
    DotMoments moments;
    double brought = 0;
    for (std::size_t t = 0; t < terms; ++t) {
      const std::size_t at = (i / width * terms + t) * width + i % width;
      moments.add(x.value[at]);
      brought += from[at];
    }
    v.local[n.id][i] =
        y.local[i] > 0 ? typical_dot(moments, n.arithmetic.stated, false, false, nullptr) : 0;
    v.total[n.id][i] = brought + v.local[n.id][i];
  }
}

}  // namespace ulpfuzz::bounds
