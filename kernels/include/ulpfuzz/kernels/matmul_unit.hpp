#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/kernels/fp64_rounding.hpp"

/// Matmul units (tensor cores) that add in blocks, as MMA-Sim found them to (arXiv 2511.10909,
/// section on truncated fused dot-add): a block of exact products and the accumulator are aligned
/// to the largest exponent among them, each cut toward zero to `fraction` bits after the point of
/// it, added exactly, and the sum is cut toward zero to fp32 (in fp16, rounded to nearest even to
/// that). The exponent of a product is the sum of those of its factors, so that its significand is
/// below 4; that of a zero is -126. What is not finite, or becomes so as a sum in fp64, is the sum
/// in fp64.
namespace ulpfuzz::kernels {

/// What a block is aligned to: the largest exponent of the accumulator and the products
/// from .. to - 1, at least -126.
template <class N, class Products>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Ints largest_exponent(
    const Products& products, typename N::Double accumulator, std::size_t from, std::size_t to) {
  using Ints = typename N::Ints;
  Ints largest = exponent_field<N>(accumulator);
  largest = largest > Ints{} - 126 ? largest : Ints{} - 126;
  for (std::size_t i = from; i < to; ++i) {
    const Ints exponent = products.exponent(i);
    largest = exponent > largest ? exponent : largest;
  }
  return largest;
}

/// accumulator + product(i) for i = from .. to - 1 in one block. `products` gives Double product(i)
/// and Ints exponent(i), the sum of its factors' alignment(). `round` is applied to the exact sum
/// of what was not cut off: UnitRounding, or another rounding.
template <class N = Scalar, class Products, class Round>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double add_block(
    const Products& products, typename N::Double accumulator, std::size_t from, std::size_t to,
    int fraction, const Round& round) {
  using Double = typename N::Double;
  const typename N::Ints largest = largest_exponent<N>(products, accumulator, from, to);
  const Double scale = powers_of_two<N>(fraction - largest);  // the quantum of all becomes 1
  Double sum = N::real(N::integer(accumulator * scale));
  Double plain = accumulator;
  for (std::size_t i = from; i < to; ++i) {
    const Double product = products.product(i);
    sum = sum + N::real(N::integer(product * scale));
    plain = plain + product;
  }
  const Double rounded = round(sum * powers_of_two<N>(largest - fraction));
  return plain - plain == Double{} ? rounded : plain;
}

inline constexpr std::uint64_t exponent_bits = std::uint64_t{0x7ff} << 52;

/// The most that add_usual_block is for.
inline constexpr int usual_fraction = 25;

/// add_block, faster, where all is finite and neither large nor as small as subnormals; elsewhere
/// `unusual` becomes other than 0, and the result is any number. Rounds to fp32, or fp16 if `half`.
template <class N = Scalar, class Products>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline typename N::Double add_usual_block(
    const Products& products, typename N::Double accumulator, std::size_t from, std::size_t to,
    int fraction, bool half, typename N::Ints& unusual) {
  using Double = typename N::Double;
  using Bits = typename N::Bits;
  using Ints = typename N::Ints;
  const Ints of_products = largest_exponent<N>(products, Double{}, from, to);
  // The way from the accumulator to the sum is what takes time: few operations, on fields in place.
  const Double accumulated =
      __builtin_bit_cast(Double, __builtin_bit_cast(Bits, accumulator) & exponent_bits);
  const Double power = powers_of_two<N>(of_products);
  const Bits largest = __builtin_bit_cast(Bits, accumulated > power ? accumulated : power);
  const Double scale =
      __builtin_bit_cast(Double, (static_cast<std::uint64_t>(2 * 1023 + fraction) << 52) - largest);
  // So that sums are below 2^128, and multiples of 2^-149.
  const Ints exponent = N::narrow(largest >> 52) - 1023;
  unusual = unusual | (of_products > Ints{} + 120) | (exponent > Ints{} + 120) |
            (exponent < Ints{} + (fraction - 149));
  // So many integers below 2^27 do not overflow.
  constexpr std::size_t most = 8;
  Ints first = N::integer(accumulator * scale);
  Double sum{};
  for (std::size_t i = from; i < to; i += most) {
    const std::size_t end = to - i < most ? to : i + most;
    for (std::size_t j = i; j < end; ++j)
      first = N::add(first, N::integer(products.product(j) * scale));
    sum = sum + N::real(first);
    first = Ints{};
  }
  sum = sum * __builtin_bit_cast(Double, largest - (static_cast<std::uint64_t>(fraction) << 52));
  if (half) return to_narrow<11, -14, 16, N>(sum);
  constexpr std::uint64_t rest = (std::uint64_t{1} << 29) - 1;
  return __builtin_bit_cast(Double, __builtin_bit_cast(typename N::Bits, sum) & ~rest);
}

/// To fp32 as units do, or to fp16.
template <class N = Scalar>
struct UnitRounding {
  bool half = false;
  [[gnu::always_inline]] ULPFUZZ_HOST_DEVICE typename N::Double operator()(
      typename N::Double sum) const {
    return half ? to_narrow<11, -14, 16, N>(sum) : cut_to_fp32<N>(sum);
  }
};

}  // namespace ulpfuzz::kernels
