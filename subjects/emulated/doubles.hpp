#pragma once

#include <cstdint>

#include "convert.hpp"
#include "panel.hpp"

namespace ulpfuzz::emulated {

typedef float EightFloats __attribute__((vector_size(32), aligned(4), may_alias));
typedef double EightDoubles __attribute__((vector_size(64)));
typedef std::uint64_t EightBits __attribute__((vector_size(64)));
typedef std::int32_t EightInts __attribute__((vector_size(32)));

/// Eight fp64 numbers side by side, in the form of kernels::Scalar.
struct Doubles {
  using Double = EightDoubles;
  using Bits = EightBits;
  ULPFUZZ_INLINE static EightDoubles whole(EightDoubles x) {
    return __builtin_convertvector(__builtin_convertvector(x, EightInts), EightDoubles);
  }
};

ULPFUZZ_INLINE EightDoubles load(const float* from) {
  return __builtin_convertvector(*reinterpret_cast<const EightFloats*>(from), EightDoubles);
}

/// Rounded to nearest even to a format known where it is called.
ULPFUZZ_INLINE EightDoubles round_eight(EightDoubles x, Format format) {
  if (format == Format::tf32) return kernels::to_narrow<11, -126, 128, Doubles>(x);
  if (format == Format::bf16) return kernels::to_narrow<8, -126, 128, Doubles>(x);
  if (format == Format::fp16) return kernels::to_narrow<11, -14, 16, Doubles>(x);
  return x;
}

/// To one that is not: rare, so its code is not wanted inside of loops.
ULPFUZZ_INLINE EightDoubles round_partial(EightDoubles x, Format format) {
  double eight[panel_width];
  __builtin_memcpy(eight, &x, sizeof(x));
  round_doubles(eight, panel_width, format);
  __builtin_memcpy(&x, eight, sizeof(x));
  return x;
}

/// Subnormals of fp32 become zeros.
ULPFUZZ_INLINE EightDoubles flush_eight(EightDoubles x) {
  const EightBits bits = __builtin_bit_cast(EightBits, x);
  const EightDoubles magnitude = __builtin_bit_cast(EightDoubles, bits & ~kernels::sign_bit);
  const EightDoubles zero = __builtin_bit_cast(EightDoubles, bits & kernels::sign_bit);
  return magnitude < EightDoubles{} + 0x1p-126 ? zero : x;
}

/// To the columns of a row that there are, rounded to fp32.
ULPFUZZ_INLINE void store(EightDoubles y, const Panel& p, std::size_t row) {
  const EightFloats rounded = __builtin_convertvector(y, EightFloats);
  for (std::size_t j = 0; j < p.columns; ++j) p.y[row * p.ldy + j] = rounded[j];
}

}  // namespace ulpfuzz::emulated
