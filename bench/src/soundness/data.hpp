#pragma once

#include <string_view>
#include <vector>

#include "soundness/style.hpp"

namespace ulpfuzz::bench {

/// What numbers a network and its inputs are made of.
enum class Data : std::uint8_t {
  normal,  ///< as networks are initialised
  positive,
  integers,
  powers,      ///< powers of two
  offset,      ///< a mean of 30 standard deviations
  cancelling,  ///< +-1 with random low bits
  pairs,       ///< each number with its negative, one ulp off
  stagnating,  ///< one 1, and u for all others
  one_huge,    ///< 1e4 among 1e-4
  ranges,      ///< magnitudes 2^-30 .. 2^30
  huge,        ///< products near the overflow threshold
  tiny,        ///< products near and below the least normal number
  subnormal,
  saturated,   ///< large z: flat activations
  near_kink,   ///< biases move each z of the first row to about 0
  constant,    ///< one number everywhere
  duplicated,  ///< columns twice
  sparse       ///< half of them 0
};
inline constexpr std::array<std::string_view, 18> data_names{
    "normal",    "positive",   "integers",  "powers",   "offset",     "cancelling",
    "pairs",     "stagnating", "one_huge",  "ranges",   "huge",       "tiny",
    "subnormal", "saturated",  "near_kink", "constant", "duplicated", "sparse"};

/// n numbers, in rows of `cols`, for a sum of `fan_in` products: inputs have fan_in 1.
std::vector<float> numbers(Data data, std::size_t n, std::size_t cols, std::size_t fan_in,
                           Random& random);

}  // namespace ulpfuzz::bench
