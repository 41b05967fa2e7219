#include <algorithm>

#include "doubles.hpp"
#include "ulpfuzz/kernels/matmul_unit.hpp"

namespace ulpfuzz::emulated {
namespace {

// The products of one pair of pieces, for kernels::add_block.
struct Products {
  const float *a, *a_power, *b, *b_power;
  ULPFUZZ_INLINE EightDoubles product(std::size_t i) const {
    return double{a[i]} * load(b + i * panel_width);
  }
  ULPFUZZ_INLINE EightDoubles power(std::size_t i) const {
    return double{a_power[i]} * load(b_power + i * panel_width);
  }
};

struct UnitRounding {
  Format format;
  ULPFUZZ_INLINE EightDoubles operator()(EightDoubles sum) const {
    return format == Format::fp32 ? kernels::cut_to_fp32<Doubles>(sum) : round_partial(sum, format);
  }
};

struct UnitTerms {
  const Panel& p;
  Format format;
  std::size_t row = 0;

  ULPFUZZ_INLINE static EightDoubles zero() { return EightDoubles{}; }
  ULPFUZZ_INLINE EightDoubles settled(EightDoubles x) const {
    if (format != Format::fp32) x = round_partial(x, format);
    return p.flushes ? flush_eight(x) : x;
  }
  ULPFUZZ_INLINE EightDoubles add(EightDoubles x, EightDoubles y) const {
    return settled(kernels::to_narrow<24, -126, 128, Doubles>(x + y));
  }
  ULPFUZZ_INLINE EightDoubles part(const EightDoubles* start, std::size_t from,
                                   std::size_t to) const {
    EightDoubles sum = start != nullptr ? *start : zero();
    for (std::size_t i = from; i < to; i += p.unit.block) {
      const std::size_t end = std::min<std::size_t>(i + p.unit.block, to);
      for (unsigned s = p.first_product; s < 9; ++s) {
        const std::size_t left = piece_products[s].left * p.a_piece + row * p.k;
        const std::size_t right = piece_products[s].right * p.b_piece;
        const Products products{p.a + left, p.a_power + left, p.b + right, p.b_power + right};
        sum = kernels::add_block<Doubles>(products, sum, i, end, p.unit.fraction,
                                          UnitRounding{format});
        if (p.flushes) sum = flush_eight(sum);
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
  if (p.bias != nullptr) bias = terms.settled(load(p.bias));
  for (std::size_t r = 0; r < p.rows; ++r, ++terms.row) store(row_sum(p, terms, bias), p, r);
}

}  // namespace

void unit_panel(const Panel& p, Format accumulate) {
  // A unit gives fp32.
  all_rows(p, accumulate == Format::fp64 ? Format::fp32 : accumulate);
}

}  // namespace ulpfuzz::emulated
