#pragma once

#include <cstdint>
#include <span>

#include "ulpfuzz/core/tensor.hpp"
#include "words.hpp"

namespace ulpfuzz::generators {

/// What the elements of a tensor look like.
enum class Values : std::uint8_t {
  normal,
  uniform,         ///< [-1, 1)
  positive,        ///< (0, 1)
  log_uniform,     ///< any sign and mantissa, exponents from a range up to all of them
  small_integers,  ///< -8..8: products and sums are exact in any order
  powers_of_two,   ///< +-2^-4..2^4
  cancelling,      ///< x and about -x in each row
  one_huge,        ///< normal, one element a row times 2^33
  large_mean,      ///< 2^4..2^15 plus a small spread
  kinks,           ///< +-0, a few ulp around 0, small numbers
  constant_rows,
  equal_rows,
  subnormals,
  signed_zeros,
  infinities,  ///< normal, some infinite
  nan_rows,    ///< normal, some rows with NaN
  witnesses,   ///< what tf32, bf16 and fp16 cannot hold: 1 + 2^-10, 1 + 2^-7, 2049 ...
  ones
};
inline constexpr int values_count = static_cast<int>(Values::ones) + 1;

void fill(Tensor& tensor, Values values, Words& words);
/// Normal deviates times `scale`.
void fill_normal(std::span<float> out, float scale, Words& words);
/// Multiples of 2^-23 `bound` in [-bound, bound).
void fill_uniform(std::span<float> out, float bound, Words& words);

}  // namespace ulpfuzz::generators
