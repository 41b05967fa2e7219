#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/kernels/emulated_formats.hpp"
#include "ulpfuzz/kernels/loops.hpp"

/// Operands of products in formats narrower than fp32.
namespace ulpfuzz::kernels {

/// How an operand of a product becomes what is multiplied: so many pieces of a format. With
/// `flushes`, subnormals are taken as zero before and after.
struct Conversion {
  Format format = Format::fp32;
  Rounding rounding = Rounding::nearest_even;
  unsigned pieces = 1;
  unsigned first_product = 8;  ///< of piece_product; the later ones are added, too
  bool flushes = false;

  bool changes_nothing() const {
    return (format == Format::fp32 || format == Format::fp64) && !flushes;
  }
};

/// Of the members of an Arithmetic (or a UnitGemm) that say so.
template <class A>
Conversion operand_conversion(const A& a) {
  Conversion c{a.operand, a.conversion, 1, 8, a.flushes_subnormals};
  if (a.split == Split::none) return c;
  c.format = a.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
  c.pieces = a.split == Split::bf16x6 || a.split == Split::bf16x9 ? 3 : 2;
  c.first_product = a.split == Split::bf16x9 ? 0 : a.split == Split::bf16x6 ? 3 : 6;
  return c;
}

/// Pieces of the left and of the right operand.
struct PieceProduct {
  unsigned left, right;
};

/// Products of pieces, s = 0 .. 8, smallest first: the order in which they are added. The last is
/// the only one of operands that are not split.
ULPFUZZ_HOST_DEVICE constexpr PieceProduct piece_product(unsigned s) {
  // A digit each.
  constexpr std::uint64_t left = 0x221210100, right = 0x212012010;
  return {static_cast<unsigned>(left >> 4 * (8 - s)) & 3,
          static_cast<unsigned>(right >> 4 * (8 - s)) & 3};
}

/// x rounded to the format; to fp32 and fp64: as they are. `from` and `to` may be the same.
template <Cut How>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline void round_floats(const float* from,
                                                                    std::size_t count,
                                                                    Format format, float* to) {
  if (format == Format::tf32) {
    ULPFUZZ_ALONG
    for (std::size_t i = 0; i < count; ++i) to[i] = drop_bits<13, How>(from[i]);
  } else if (format == Format::bf16) {
    ULPFUZZ_ALONG
    for (std::size_t i = 0; i < count; ++i) to[i] = drop_bits<16, How>(from[i]);
  } else if (format == Format::fp16) {
    ULPFUZZ_ALONG
    for (std::size_t i = 0; i < count; ++i) to[i] = to_fp16<How>(from[i]);
  } else if (from != to) {
    ULPFUZZ_ALONG
    for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
  }
}

/// What a matmul unit aligns x by: its exponent, that of subnormals being the format's least. Of
/// numbers whose products it does not align, such that the sum of two is below -873 where one is 0
/// and both are finite, and above 800 where one is not finite.
ULPFUZZ_HOST_DEVICE inline std::int32_t alignment(float x, Format format) {
  const std::int32_t least = format == Format::fp16 ? -14 : -126;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x) & 0x7fffffffu;
  const std::int32_t exponent = static_cast<std::int32_t>(bits >> 23) - 127;
  std::int32_t e = exponent < least ? least : exponent;
  e = bits == 0 ? -1000 : e;
  return bits >= 0x7f800000u ? 2000 : e;
}

}  // namespace ulpfuzz::kernels
