#include "convert.hpp"
#include "panel.hpp"

namespace ulpfuzz::emulated {
namespace {

typedef float Eight __attribute__((vector_size(32)));
typedef float Stored __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::uint32_t Bits __attribute__((vector_size(32)));

template <bool Fused, bool Simple>
struct Fp32Terms {
  const Panel& p;
  const float* a;  // the row's

  ULPFUZZ_INLINE static Eight load(const float* from) {
    return *reinterpret_cast<const Stored*>(from);
  }
  ULPFUZZ_INLINE static Eight zero() { return Eight{}; }
  ULPFUZZ_INLINE Eight settled(Eight x) const {
    if (Simple || !p.flushes) return x;
    const Bits bits = __builtin_bit_cast(Bits, x);
    const Eight zero = __builtin_bit_cast(Eight, bits & 0x80000000u);
    return (bits & 0x7f800000u) == 0 ? zero : x;
  }
  ULPFUZZ_INLINE Eight add(Eight x, Eight y) const { return settled(x + y); }
  ULPFUZZ_INLINE Eight plus_product(Eight sum, float x, Eight y) const {
    if constexpr (Fused) {
      for (std::size_t j = 0; j < panel_width; ++j) sum[j] = __builtin_fmaf(x, y[j], sum[j]);
      return settled(sum);
    } else {
      return add(sum, settled(x * y));
    }
  }
  ULPFUZZ_INLINE Eight add_term(Eight sum, std::size_t i) const {
    if constexpr (Simple) return plus_product(sum, a[i], load(p.b + i * panel_width));
    for (unsigned s = p.first_product; s < 9; ++s) sum = add_piece(sum, i, s);
    return sum;
  }
  ULPFUZZ_INLINE Eight add_piece(Eight sum, std::size_t i, unsigned s) const {
    const kernels::PieceProduct piece = kernels::piece_product(s);
    return plus_product(sum, a[piece.left * p.a_piece + i],
                        load(p.b + piece.right * p.b_piece + i * panel_width));
  }
  ULPFUZZ_INLINE Eight part(const Eight* start, std::size_t from, std::size_t to) const {
    return kernels::sum_ordered(*this, p.order, start, from, to);
  }
  ULPFUZZ_INLINE Eight to_partial(Eight x) const {
    float eight[panel_width];
    __builtin_memcpy(eight, &x, sizeof(x));
    round_to(eight, panel_width, p.partial, Rounding::nearest_even, eight);
    return settled(load(eight));
  }
};

template <bool Fused, bool Simple>
ULPFUZZ_INLINE void all_rows(const Panel& p) {
  Fp32Terms<Fused, Simple> terms{p, p.a};
  Eight bias{};
  if (p.bias != nullptr) bias = terms.settled(terms.load(p.bias));
  for (std::size_t r = 0; r < p.rows; ++r, terms.a += p.k) {
    const Eight y = row_sum(p, terms, bias);
    for (std::size_t j = 0; j < p.columns; ++j) p.y[r * p.ldy + j] = y[j];
  }
}

ULPFUZZ_CLONES void simple(const Panel& p) { all_rows<false, true>(p); }
ULPFUZZ_CLONES void simple_fused(const Panel& p) { all_rows<true, true>(p); }
ULPFUZZ_CLONES void any(const Panel& p) { all_rows<false, false>(p); }
ULPFUZZ_CLONES void any_fused(const Panel& p) { all_rows<true, false>(p); }

}  // namespace

void fp32_panel(const Panel& p, bool fused) {
  const bool is_simple = p.first_product == 8 && !p.flushes;
  if (is_simple) return fused ? simple_fused(p) : simple(p);
  fused ? any_fused(p) : any(p);
}

}  // namespace ulpfuzz::emulated
