#pragma once

#include "ulpfuzz/kernels/matmul_unit.hpp"
#include "ulpfuzz/kernels/unit_strip.hpp"

/// Sums of staged operands by an emulated matmul unit.
namespace ulpfuzz::kernels {

/// The numbers that the threads of a block add in, of equal results: Block::Numbers, if any.
template <class Block>
struct StripNumbers {
  using type = Scalar;
};
template <class Block>
requires requires { typename Block::Numbers; }
struct StripNumbers<Block> {
  using type = typename Block::Numbers;
};

/// Products of one pair of pieces, for add_block.
template <class N, unsigned Rows, unsigned Columns>
struct StagedProducts {
  const double *a, *b;
  const std::int32_t *a_exponent, *b_exponent;

  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE typename N::Double product(std::size_t q) const {
    return a[q * Rows] * N::load(b + q * Columns);
  }
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE typename N::Ints exponent(std::size_t q) const {
    return a_exponent[q * Rows] + N::load(b_exponent + q * Columns);
  }
};

/// Row i of the left operand and N::width columns of the right one, from j on.
template <class N, unsigned Depth, unsigned Rows, unsigned Columns>
struct StagedPair {
  const StagedOperand<Depth, Rows>& a;
  const StagedOperand<Depth, Columns>& b;
  unsigned i, j;

  /// From step q on.
  ULPFUZZ_HOST_DEVICE StagedProducts<N, Rows, Columns> products(PieceProduct piece,
                                                                unsigned q) const {
    return {a.value[piece.left][q] + i, b.value[piece.right][q] + j, a.exponent[piece.left][q] + i,
            b.exponent[piece.right][q] + j};
  }
};

struct UnitSums {
  Conversion conversion;
  MatmulUnit unit;
  bool half = false;  ///< each is rounded to fp16

  /// sum + `count` steps of a StagedPair.
  template <class N, class Pair>
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double add(
      const Pair& pair, unsigned count, typename N::Double sum) const {
    typename N::Ints unusual{};
    const typename N::Double usual = add_usual<N>(pair, count, sum, unusual);
    if (unit.fraction <= usual_fraction && !N::any(unusual)) return usual;
    for (unsigned q = 0; q < count; q += unit.block)
      sum = add_products<false, N>(pair, q, rest(count, q), sum, unusual);
    return sum;
  }

 private:
  ULPFUZZ_HOST_DEVICE unsigned rest(unsigned count, unsigned q) const {
    return count - q < unit.block ? count - q : unit.block;
  }
  template <class N, class Pair>
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double add_usual(
      const Pair& pair, unsigned count, typename N::Double sum, typename N::Ints& unusual) const {
    unsigned q = 0;
    // Whole blocks of the usual units, whose loops are unrolled, and others.
    if (unit.block == 4)
      for (; q + 4 <= count; q += 4) sum = add_products<true, N>(pair, q, 4, sum, unusual);
    else if (unit.block == 8)
      for (; q + 8 <= count; q += 8) sum = add_products<true, N>(pair, q, 8, sum, unusual);
    else if (unit.block == 16)
      for (; q + 16 <= count; q += 16) sum = add_products<true, N>(pair, q, 16, sum, unusual);
    for (; q < count; q += unit.block)
      sum = add_products<true, N>(pair, q, rest(count, q), sum, unusual);
    return sum;
  }
  /// One block from step q on, with the products of all pieces.
  template <bool Usual, class N, class Pair>
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double add_products(
      const Pair& pair, unsigned q, unsigned count, typename N::Double sum,
      typename N::Ints& unusual) const {
    for (unsigned s = conversion.first_product; s < 9; ++s) {
      const auto products = pair.products(piece_product(s), q);
      if constexpr (Usual)
        sum = add_usual_block<N>(products, sum, 0, count, unit.fraction, half, unusual);
      else
        sum = add_block<N>(products, sum, 0, count, unit.fraction, UnitRounding<N>{half});
      if (conversion.flushes) sum = flushed<N>(sum);
    }
    return sum;
  }
};

}  // namespace ulpfuzz::kernels
