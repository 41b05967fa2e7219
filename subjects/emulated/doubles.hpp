#pragma once

#include "convert.hpp"
#include "panel.hpp"
#include "ulpfuzz/kernels/eight_doubles.hpp"

namespace ulpfuzz::emulated {

using kernels::Eight;
using kernels::EightDoubles;

/// Rounded to nearest even to a format known where it is called.
ULPFUZZ_INLINE EightDoubles round_eight(EightDoubles x, Format format) {
  if (format == Format::tf32) return kernels::to_narrow<11, -126, 128, Eight>(x);
  if (format == Format::bf16) return kernels::to_narrow<8, -126, 128, Eight>(x);
  if (format == Format::fp16) return kernels::to_narrow<11, -14, 16, Eight>(x);
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

/// To the columns of a row that there are, rounded to fp32.
ULPFUZZ_INLINE void store(EightDoubles y, const Panel& p, std::size_t row) {
  const kernels::EightFloats rounded = __builtin_convertvector(y, kernels::EightFloats);
  for (std::size_t j = 0; j < p.columns; ++j) p.y[row * p.ldy + j] = rounded[j];
}

}  // namespace ulpfuzz::emulated
