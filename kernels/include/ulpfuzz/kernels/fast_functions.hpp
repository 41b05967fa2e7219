#pragma once

#include <cmath>
#include <cstdint>

#include "ulpfuzz/kernels/execution_space.hpp"

/// Models of the approximate functions that compilers call under --use_fast_math: of their errors,
/// not of their bits.
namespace ulpfuzz::kernels {

/// 2^(x log2 e), the product rounded to fp32, as in __expf: the error grows with |x|.
ULPFUZZ_HOST_DEVICE inline float fast_exp(float x) { return std::exp2(x * 1.44269504f); }

/// tanh with a relative error that swings between +-0.8 * 2^-11 twice an octave, also near 0, in
/// place of the 2^-11 that is stated of tanh.approx; at most 1, monotone for |x| < 3, odd.
ULPFUZZ_HOST_DEVICE inline float fast_tanh(float x) {
  constexpr std::uint32_t period = 1u << 22;  // half an octave of the bits of x
  const std::uint32_t phase = __builtin_bit_cast(std::uint32_t, x) % period;
  // A triangular wave from -1 at 0 to 1 at half a period and back.
  const float wave = 1.0f - std::fabs(static_cast<float>(phase) * 0x1p-20f - 2.0f);
  const float y = std::tanh(x) * (1.0f + 0.8f * 0x1p-11f * wave);
  return std::fabs(y) > 1.0f ? std::copysign(1.0f, x) : y;
}

}  // namespace ulpfuzz::kernels
