#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/emulated_sum.hpp"
#include "ulpfuzz/kernels/operand.hpp"

namespace ulpfuzz::emulated {

inline constexpr std::size_t panel_width = 8;

/// Rows of a left operand times eight columns of a right one, both converted: dot products of eight
/// elements side by side.
struct Panel {
  std::size_t rows, k;
  const float* a;  ///< piece p of row r: a[p * a_piece + r * k + i]
  std::size_t a_piece;
  const float* b;  ///< piece p: b[p * b_piece + i * 8 + column]
  std::size_t b_piece;
  const std::int32_t* a_exponent = nullptr;  ///< alignment() of a and b, for a matmul unit
  const std::int32_t* b_exponent = nullptr;
  const float* bias = nullptr;  ///< eight, or none
  float* y;                     ///< y[r * ldy + column], as many columns as there are
  std::size_t ldy, columns;

  unsigned first_product = 8;  ///< of kernels::piece_product; the later ones are added, too
  kernels::SumOrder order;
  bool bias_first = false;
  std::size_t partials = 1;  ///< > 0
  Format partial = Format::fp32;
  MatmulUnit unit;
  bool flushes = false;
};

/// The dot products of one row, which `terms` has been set to. V is the type of eight sums.
template <class V, class Terms>
ULPFUZZ_INLINE V row_sum(const Panel& p, const Terms& terms, const V& bias) {
  const V* start = p.bias != nullptr && p.bias_first ? &bias : nullptr;
  const std::size_t length = p.k / p.partials;
  const std::size_t longer = p.k % p.partials;
  V y = terms.zero();
  for (std::size_t part = 0, from = 0; part < p.partials; ++part) {
    const std::size_t to = from + length + (part < longer ? 1 : 0);
    const V sum = terms.part(part == 0 ? start : nullptr, from, to);
    y = p.partials == 1 ? sum : terms.add(y, terms.to_partial(sum));
    from = to;
  }
  return p.bias != nullptr && !p.bias_first ? terms.add(y, bias) : y;
}

/// Accumulation in fp32, fused or not.
void fp32_panel(const Panel& panel, bool fused);
/// In fp64 or a format narrower than fp32, each product and sum rounded once.
void narrow_panel(const Panel& panel, Format accumulate);
/// In a matmul unit; where `accumulate` is narrower than fp32, the sum of each block is rounded to
/// that instead.
void unit_panel(const Panel& panel, Format accumulate);

}  // namespace ulpfuzz::emulated
