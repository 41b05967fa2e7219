#include "product.hpp"

#include <algorithm>

#include "../aligned_buffer.hpp"
#include "convert.hpp"
#include "panel.hpp"

namespace ulpfuzz::emulated {
namespace {

kernels::SumOrder::Kind order_of(Summation::Order order) {
  switch (order) {
    case Summation::Order::reversed:
      return kernels::SumOrder::Kind::reversed;
    case Summation::Order::pairwise:
      return kernels::SumOrder::Kind::pairwise;
    case Summation::Order::lanes:
      return kernels::SumOrder::Kind::lanes;
    default:
      return kernels::SumOrder::Kind::sequential;
  }
}

// Everything about a panel but its operands.
Panel settings(const Arithmetic& a, const Summation& s, bool by_unit) {
  Panel p{};
  p.order = {order_of(s.order), s.lanes};
  p.bias_first = s.bias_first;
  p.flushes = a.flushes_subnormals;
  if (!by_unit) return p;
  p.first_product = kernels::operand_conversion(a).first_product;
  p.unit = a.unit;
  p.partials = std::max<std::size_t>(1, a.partials);
  p.partial = a.partial;
  return p;
}

void evaluate(const Panel& p, const Arithmetic& a, const Summation& s) {
  if (p.unit.block > 0) return unit_panel(p, a.accumulate);
  if (a.accumulate == Format::fp32) return fp32_panel(p, s.fused);
  narrow_panel(p, a.accumulate);
}

// The left operand's rows, one after the other; in place if they lie so already.
const float* left(const Product& t, const Conversion& conversion, float* to) {
  if (t.a_step == 1 && t.a_row == t.k && conversion.changes_nothing()) return t.a;
  for (std::size_t i = 0; i < t.m; ++i)
    for (std::size_t q = 0; q < t.k; ++q) to[i * t.k + q] = t.a[i * t.a_row + q * t.a_step];
  convert(to, t.m * t.k, conversion, to);
  return to;
}

// Columns [j, j + 8) of the right operand side by side, the last one again where there are none.
void right(const Product& t, std::size_t j, const Conversion& conversion, float* to) {
  const std::size_t columns = std::min(panel_width, t.n - j);
  const float* from = t.b + j * t.b_column;
  for (std::size_t q = 0; q < t.k; ++q)
    for (std::size_t c = 0; c < panel_width; ++c)
      to[q * panel_width + c] = from[q * t.b_step + std::min(c, columns - 1) * t.b_column];
  if (!conversion.changes_nothing()) convert(to, t.k * panel_width, conversion, to);
}

struct Memory {
  AlignedBuffer<float> a, b;
  AlignedBuffer<std::int32_t> a_exponent, b_exponent;
};

}  // namespace

void multiply(const Product& t, const Arithmetic& arithmetic, const Summation& summation,
              bool by_unit) {
  thread_local Memory memory;
  Panel p = settings(arithmetic, summation, by_unit);
  const Conversion conversion = by_unit ? kernels::operand_conversion(arithmetic)
                                        : Conversion{.flushes = arithmetic.flushes_subnormals};
  const bool unit = p.unit.block > 0;
  p.rows = t.m;
  p.k = t.k;
  p.a_piece = t.m * t.k;
  p.b_piece = t.k * panel_width;
  const std::size_t a_size = p.a_piece * conversion.pieces;
  const std::size_t b_size = p.b_piece * conversion.pieces;
  p.a = left(t, conversion, memory.a.reserve(a_size));
  float* const b = memory.b.reserve(b_size);
  std::int32_t* const a_exponent = unit ? memory.a_exponent.reserve(a_size) : nullptr;
  std::int32_t* const b_exponent = unit ? memory.b_exponent.reserve(b_size) : nullptr;
  if (unit) alignments(p.a, a_size, conversion.format, a_exponent);
  p.b = b;
  p.a_exponent = a_exponent;
  p.b_exponent = b_exponent;
  float bias[panel_width] = {};
  p.bias = t.bias != nullptr ? bias : nullptr;
  p.ldy = t.ldy;
  for (std::size_t j = 0; j < t.n; j += panel_width) {
    p.columns = std::min(panel_width, t.n - j);
    right(t, j, conversion, b);
    if (unit) alignments(b, b_size, conversion.format, b_exponent);
    if (t.bias != nullptr) std::copy_n(t.bias + j, p.columns, bias);
    p.y = t.y + j;
    evaluate(p, arithmetic, summation);
  }
}

void sum(const float* x, std::size_t rows, std::size_t n, const Arithmetic& arithmetic,
         const Summation& summation, float* y) {
  const float one = 1;  // times each term: the term, rounded
  multiply({1, rows, n, &one, 0, 0, x, n, 1, nullptr, y, n}, arithmetic, summation, false);
}

}  // namespace ulpfuzz::emulated
