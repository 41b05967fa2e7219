#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/kernels/emulated_formats.hpp"

/// Matmul units (tensor cores) that add in blocks, as MMA-Sim found them to (arXiv 2511.10909,
/// section on truncated fused dot-add): a block of exact products and the accumulator are aligned
/// to the largest exponent among them, each cut toward zero to `fraction` bits after the point of
/// it, added exactly, and the sum is cut toward zero to fp32 (in fp16, rounded to nearest even to
/// that). The exponent of a product is the sum of those of its factors, so that its significand is
/// below 4; that of a zero is -126. What is not finite, or becomes so as a sum in fp64, is the sum
/// in fp64.
namespace ulpfuzz::kernels {

/// x rounded toward zero to fp32, subnormals gradually; infinity from 2^128 on.
template <class N = Scalar>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double cut_to_fp32(
    typename N::Double x) {
  using Double = typename N::Double;
  using Bits = typename N::Bits;
  constexpr std::uint64_t rest = (std::uint64_t{1} << 29) - 1;
  const Bits bits = __builtin_bit_cast(Bits, x);
  const Double magnitude = __builtin_bit_cast(Double, bits & ~sign_bit);
  const Double normal = __builtin_bit_cast(Double, bits & ~rest);
  // Adding this number, whose quantum is 2^-149, rounds to nearest: one step back if that was up.
  constexpr double shift = 0x1.8p-97;
  const Double nearest = (magnitude + shift) - shift;
  const Double lower = nearest - 0x1p-149;
  const Double small = with_sign<N>(nearest > magnitude ? lower : nearest, bits);
  const Double infinity = with_sign<N>(Double{} + std::numeric_limits<double>::infinity(), bits);
  const Double y = magnitude < Double{} + 0x1p-126 ? small : normal;
  return magnitude < Double{} + 0x1p128 ? y : infinity;
}

/// accumulator + product(i) for i = from .. to - 1 in one block. `products` gives Double product(i)
/// and Double power(i): the product of its factors' powers of two, 0 for a zero. `round` is applied
/// to the exact sum of what was not cut off: cut_to_fp32, or another rounding.
template <class N = Scalar, class Products, class Round>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double add_block(
    const Products& products, typename N::Double accumulator, std::size_t from, std::size_t to,
    int fraction, const Round& round) {
  using Double = typename N::Double;
  using Bits = typename N::Bits;
  constexpr std::uint64_t exponent_field = std::uint64_t{0x7ff} << 52;
  Double largest =
      __builtin_bit_cast(Double, __builtin_bit_cast(Bits, accumulator) & exponent_field);
  largest = largest > Double{} + 0x1p-126 ? largest : Double{} + 0x1p-126;
  for (std::size_t i = from; i < to; ++i) {
    const Double power = products.power(i);
    largest = power > largest ? power : largest;
  }
  // 2^fraction / largest: the quantum all are cut to becomes 1.
  const std::uint64_t both = static_cast<std::uint64_t>(2 * 1023 + fraction) << 52;
  const Double scale = __builtin_bit_cast(Double, both - __builtin_bit_cast(Bits, largest));
  Double sum = N::whole(accumulator * scale);
  Double plain = accumulator;
  for (std::size_t i = from; i < to; ++i) {
    const Double product = products.product(i);
    sum = sum + N::whole(product * scale);
    plain = plain + product;
  }
  const Double rounded = round(sum * (largest * power_of_two(-fraction)));
  return plain - plain == Double{} ? rounded : plain;
}

}  // namespace ulpfuzz::kernels
