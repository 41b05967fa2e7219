#include "support/blas_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::stand_in {
namespace {

using kernels::BlasGemm;
using kernels::MathMode;
using Values = std::vector<float>;

float of_half(std::uint16_t bits, Format format) {
  const double sign = (bits & 0x8000u) != 0 ? -1 : 1;
  const int width = format == Format::bf16 ? 7 : 10;
  const int bias = format == Format::bf16 ? 127 : 15;
  const int exponent = (bits & 0x7fff) >> width;
  const double fraction = bits & ((1 << width) - 1);
  if (exponent == 2 * bias + 1) return fraction == 0 ? static_cast<float>(sign) * INFINITY : NAN;
  const double significand = exponent == 0 ? fraction : fraction + (1 << width);
  const int power = (exponent == 0 ? 1 : exponent) - bias - width;
  return static_cast<float>(sign * std::ldexp(significand, power));
}

float load(const void* at, std::size_t index, Format format) {
  if (format == Format::fp32) return static_cast<const float*>(at)[index];
  return of_half(static_cast<const std::uint16_t*>(at)[index], format);
}

// Row-major matrices are the column-major ones of their transposes.
std::size_t at(bool row_major, std::size_t ld, std::size_t row, std::size_t column) {
  return row_major ? row * ld + column : column * ld + row;
}

// Of a number of fp32 that is not 0.
int exponent(double x) {
  return static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff) - 1023;
}

double cut(double x) { return static_cast<double>(static_cast<std::int64_t>(x)); }

// A block as docs/bounds.md has it: exact products and the accumulator are cut to 2^-fraction of
// the largest power of two among them, added, and cut to fp32.
double add_block(const float* a, const float* b, std::size_t count, int fraction,
                 double accumulator) {
  int largest = accumulator == 0 ? -126 : std::max(exponent(accumulator), -126);
  double plain = accumulator;
  for (std::size_t i = 0; i < count; ++i) {
    if (a[i] != 0 && b[i] != 0) largest = std::max(largest, exponent(a[i]) + exponent(b[i]));
    plain += double{a[i]} * b[i];
  }
  if (!std::isfinite(plain)) return plain;
  const double scale = std::ldexp(1.0, fraction - largest);
  double sum = cut(accumulator * scale);
  for (std::size_t i = 0; i < count; ++i) sum += cut(double{a[i]} * b[i] * scale);
  return round_to(sum / scale, Format::fp32, Rounding::toward_zero);
}

Values rounded(const Values& x, Format format, Rounding rounding) {
  Values y;
  for (const float v : x) y.push_back(static_cast<float>(round_to(v, format, rounding)));
  return y;
}

// What is multiplied in place of x: itself, converted, or its pieces, largest first.
std::vector<Values> converted(Values x, const BlasGemm& g) {
  if (g.operand == Format::fp32 && g.mode == MathMode::tf32)
    return {rounded(x, Format::tf32, Rounding::nearest_away)};
  if (g.operand != Format::fp32 || g.mode != MathMode::bf16x9) return {std::move(x)};
  std::vector<Values> pieces;
  for (int piece = 0; piece < 3; ++piece) {
    pieces.push_back(rounded(x, Format::bf16, Rounding::nearest_even));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] -= pieces.back()[i];
  }
  return pieces;
}

MatmulUnit unit_of(const BlasGemm& g, int architecture) {
  const bool hopper = architecture >= 90;
  if (g.operand != Format::fp32 || g.mode == MathMode::bf16x9)
    return hopper ? matmul_units::hopper_half : matmul_units::ampere_half;
  if (g.mode == MathMode::tf32)
    return hopper ? matmul_units::hopper_tf32 : matmul_units::ampere_tf32;
  return {};
}

}  // namespace

float dot(const float* a, const float* b, std::size_t count, Order order) {
  const std::size_t lanes = order == Order::eight_lanes ? 8 : 1;
  std::array<float, 8> sums{};
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t from = order == Order::backwards ? count - 1 - q : q;
    sums[q % lanes] += a[from] * b[from];
  }
  float total = sums[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) total += sums[lane];
  return total;
}

Terms::Terms(const BlasGemm& g, int architecture, std::size_t e)
    : k_(g.k), unit_(unit_of(g, architecture)) {
  Values a, b;
  for (std::size_t i = 0; i < g.m; ++i)
    for (std::size_t q = 0; q < g.k; ++q) {
      const std::size_t of =
          g.transpose_a ? at(g.row_major, g.lda, q, i) : at(g.row_major, g.lda, i, q);
      a.push_back(load(g.a, e * g.a_stride + of, g.operand));
    }
  for (std::size_t j = 0; j < g.n; ++j)
    for (std::size_t q = 0; q < g.k; ++q) {
      const std::size_t of =
          g.transpose_b ? at(g.row_major, g.ldb, j, q) : at(g.row_major, g.ldb, q, j);
      b.push_back(load(g.b, e * g.b_stride + of, g.operand));
    }
  a_ = converted(std::move(a), g);
  b_ = converted(std::move(b), g);
}

float Terms::sum(Order order, std::size_t i, std::size_t j, std::size_t from,
                 std::size_t to) const {
  const auto a = [&](std::size_t piece, std::size_t q) { return a_[piece].data() + i * k_ + q; };
  const auto b = [&](std::size_t piece, std::size_t q) { return b_[piece].data() + j * k_ + q; };
  if (unit_.block == 0) return dot(a(0, from), b(0, from), to - from, order);
  double sum = 0;
  for (std::size_t q = from; q < to; q += unit_.block) {
    const std::size_t count = std::min<std::size_t>(unit_.block, to - q);
    for (std::size_t both = 2 * a_.size() - 1; both-- > 0;)  // smallest products first
      for (std::size_t piece = 0; piece < a_.size(); ++piece)
        if (both >= piece && both - piece < a_.size())
          sum = add_block(a(piece, q), b(both - piece, q), count, unit_.fraction, sum);
  }
  return static_cast<float>(sum);
}

float* element_of_c(const BlasGemm& g, std::size_t e, std::size_t i, std::size_t j) {
  return g.c + e * g.c_stride + at(g.row_major, g.ldc, i, j);
}

void store(float beta, float sum, float* c) { *c = beta == 0.0f ? sum : std::fma(beta, *c, sum); }

namespace {

Range range(const BlasGemm& g, const void* at, std::size_t stride, std::size_t ld, std::size_t rows,
            std::size_t columns, std::size_t bytes) {
  if (g.row_major) std::swap(rows, columns);
  if (g.entries * rows * columns == 0) return {};
  return {at, ((g.entries - 1) * stride + (columns - 1) * ld + rows) * bytes};
}
std::size_t bytes(const BlasGemm& g) { return g.operand == Format::fp32 ? 4 : 2; }

}  // namespace

Range range_of_a(const BlasGemm& g) {
  return range(g, g.a, g.a_stride, g.lda, g.transpose_a ? g.k : g.m, g.transpose_a ? g.m : g.k,
               bytes(g));
}
Range range_of_b(const BlasGemm& g) {
  return range(g, g.b, g.b_stride, g.ldb, g.transpose_b ? g.n : g.k, g.transpose_b ? g.k : g.n,
               bytes(g));
}
Range range_of_c(const BlasGemm& g) {
  return range(g, g.c, g.c_stride, g.ldc, g.m, g.n, sizeof(float));
}

}  // namespace ulpfuzz::stand_in
