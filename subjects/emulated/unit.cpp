#include <algorithm>

#include "doubles.hpp"
#include "ulpfuzz/kernels/matmul_unit.hpp"

namespace ulpfuzz::emulated {
namespace {

// The products of one pair of pieces, for kernels::add_block.
struct Products {
  const float *a, *b;
  const std::int32_t *a_exponent, *b_exponent;
  ULPFUZZ_INLINE EightDoubles product(std::size_t i) const {
    return double{a[i]} * Eight::load(b + i * panel_width);
  }
  ULPFUZZ_INLINE kernels::EightInts exponent(std::size_t i) const {
    return a_exponent[i] + Eight::load(b_exponent + i * panel_width);
  }
};

struct UnitRounding {
  Format format;
  ULPFUZZ_INLINE EightDoubles operator()(EightDoubles sum) const {
    return format == Format::fp32 ? kernels::cut_to_fp32<Eight>(sum) : round_partial(sum, format);
  }
};

struct UnitTerms {
  const Panel& p;
  Format format;
  std::size_t row = 0;

  ULPFUZZ_INLINE static EightDoubles zero() { return EightDoubles{}; }
  ULPFUZZ_INLINE EightDoubles settled(EightDoubles x) const {
    if (format != Format::fp32) x = round_partial(x, format);
    return p.flushes ? kernels::flushed<Eight>(x) : x;
  }
  ULPFUZZ_INLINE EightDoubles add(EightDoubles x, EightDoubles y) const {
    return settled(kernels::to_narrow<24, -126, 128, Eight>(x + y));
  }
  ULPFUZZ_INLINE EightDoubles part(const EightDoubles* start, std::size_t from,
                                   std::size_t to) const {
    const EightDoubles first = start != nullptr ? *start : zero();
    kernels::EightInts unusual{};
    if (p.unit.fraction <= kernels::usual_fraction &&
        (format == Format::fp32 || format == Format::fp16)) {
      const EightDoubles sum = blocks<true>(first, from, to, unusual);
      if (!Eight::any(unusual)) return sum;
    }
    return blocks<false>(first, from, to, unusual);
  }
  template <bool Usual>
  ULPFUZZ_INLINE EightDoubles blocks(EightDoubles sum, std::size_t from, std::size_t to,
                                     kernels::EightInts& unusual) const {
    for (std::size_t i = from; i < to; i += p.unit.block) {
      const std::size_t count = std::min<std::size_t>(p.unit.block, to - i);
      for (unsigned s = p.first_product; s < 9; ++s) {
        const kernels::PieceProduct piece = kernels::piece_product(s);
        const std::size_t left = piece.left * p.a_piece + row * p.k + i;
        const std::size_t right = piece.right * p.b_piece + i * panel_width;
        const Products products{p.a + left, p.b + right, p.a_exponent + left, p.b_exponent + right};
        if constexpr (Usual)
          sum = kernels::add_usual_block<Eight>(products, sum, 0, count, p.unit.fraction,
                                                format == Format::fp16, unusual);
        else
          sum = kernels::add_block<Eight>(products, sum, 0, count, p.unit.fraction,
                                          UnitRounding{format});
        if (p.flushes) sum = kernels::flushed<Eight>(sum);
      }
    }
    return sum;
  }
  ULPFUZZ_INLINE EightDoubles to_partial(EightDoubles x) const {
    return settled(round_partial(x, p.partial));
  }
};

ULPFUZZ_CLONES void all_rows(const Panel& p, Format format) {
  UnitTerms terms{p, format};
  EightDoubles bias{};
  if (p.bias != nullptr) bias = terms.settled(Eight::load(p.bias));
  for (std::size_t r = 0; r < p.rows; ++r, ++terms.row) store(row_sum(p, terms, bias), p, r);
}

}  // namespace

void unit_panel(const Panel& p, Format accumulate) {
  // A unit gives fp32.
  all_rows(p, accumulate == Format::fp64 ? Format::fp32 : accumulate);
}

}  // namespace ulpfuzz::emulated
