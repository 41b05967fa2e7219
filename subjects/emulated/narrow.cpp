#include "doubles.hpp"

namespace ulpfuzz::emulated {
namespace {

struct NarrowTerms {
  const Panel& p;
  Format format;
  const float* a;  // the row's

  ULPFUZZ_INLINE static EightDoubles zero() { return EightDoubles{}; }
  // Products are exact in fp64, and sums of two numbers of a format of 24 bits or less are exact or
  // rounded twice without harm: 53 >= 2 * 24 + 2 (Figueroa 1995).
  ULPFUZZ_INLINE EightDoubles settled(EightDoubles x) const {
    x = round_eight(x, format);
    return p.flushes ? kernels::flushed<Eight>(x) : x;
  }
  ULPFUZZ_INLINE EightDoubles add(EightDoubles x, EightDoubles y) const { return settled(x + y); }
  ULPFUZZ_INLINE EightDoubles product(std::size_t i, unsigned s) const {
    const kernels::PieceProduct piece = kernels::piece_product(s);
    return settled(double{a[piece.left * p.a_piece + i]} *
                   Eight::load(p.b + piece.right * p.b_piece + i * panel_width));
  }
  ULPFUZZ_INLINE EightDoubles add_term(EightDoubles sum, std::size_t i) const {
    for (unsigned s = p.first_product; s < 9; ++s) sum = add(sum, product(i, s));
    return sum;
  }
  ULPFUZZ_INLINE EightDoubles part(const EightDoubles* start, std::size_t from,
                                   std::size_t to) const {
    return kernels::sum_ordered(*this, p.order, start, from, to);
  }
  ULPFUZZ_INLINE EightDoubles to_partial(EightDoubles x) const {
    return settled(round_partial(x, p.partial));
  }
};

ULPFUZZ_INLINE void all_rows(const Panel& p, Format format) {
  NarrowTerms terms{p, format, p.a};
  EightDoubles bias{};
  if (p.bias != nullptr) bias = terms.settled(Eight::load(p.bias));
  for (std::size_t r = 0; r < p.rows; ++r, terms.a += p.k) store(row_sum(p, terms, bias), p, r);
}

// One each, so that the format is known inside the loops.
ULPFUZZ_CLONES void fp64(const Panel& p) { all_rows(p, Format::fp64); }
ULPFUZZ_CLONES void tf32(const Panel& p) { all_rows(p, Format::tf32); }
ULPFUZZ_CLONES void bf16(const Panel& p) { all_rows(p, Format::bf16); }
ULPFUZZ_CLONES void fp16(const Panel& p) { all_rows(p, Format::fp16); }

}  // namespace

void narrow_panel(const Panel& p, Format format) {
  if (format == Format::tf32) return tf32(p);
  if (format == Format::bf16) return bf16(p);
  if (format == Format::fp16) return fp16(p);
  fp64(p);
}

}  // namespace ulpfuzz::emulated
