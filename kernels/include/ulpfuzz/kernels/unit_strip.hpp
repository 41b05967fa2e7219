#pragma once

#include "ulpfuzz/kernels/operand.hpp"

/// Operands of an emulated matmul unit, as the threads of a block convert and share them.
namespace ulpfuzz::kernels {

inline constexpr unsigned strip = 8;

/// A part of an operand as the threads of a block share it: piece p of element e of step q along k,
/// and its alignment().
template <unsigned Depth, unsigned Elements>
struct alignas(64) StagedOperand {
  double value[3][Depth][Elements];
  std::int32_t exponent[3][Depth][Elements];
};

[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline void round_strip(const float (&x)[strip],
                                                                   const Conversion& c,
                                                                   float (&y)[strip]) {
  if (c.rounding == Rounding::nearest_even)
    round_floats<Cut::to_even>(x, strip, c.format, y);
  else if (c.rounding == Rounding::nearest_away)
    round_floats<Cut::to_away>(x, strip, c.format, y);
  else
    round_floats<Cut::to_zero>(x, strip, c.format, y);
}

[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline void flush_strip(float (&x)[strip]) {
  ULPFUZZ_ALONG
  for (unsigned i = 0; i < strip; ++i) x[i] = without_subnormals(x[i]);
}

/// from[i * stride], of which there are `count`; the last one again for those that there are not.
ULPFUZZ_HOST_DEVICE inline void fetch_strip(const float* from, std::size_t stride,
                                            std::size_t count, float (&x)[strip]) {
  if (count >= strip)
    for (unsigned i = 0; i < strip; ++i) x[i] = from[i * stride];
  else
    for (unsigned i = 0; i < strip; ++i) x[i] = from[(i < count ? i : count - 1) * stride];
}

/// Elements first .. first + 7 of step q; x is lost.
template <unsigned Depth, unsigned Elements>
[[gnu::always_inline]] ULPFUZZ_HOST_DEVICE inline void convert_strip(
    float (&x)[strip], const Conversion& c, unsigned q, unsigned first,
    StagedOperand<Depth, Elements>& to) {
  float y[strip];
  for (unsigned p = 0; p < c.pieces; ++p) {
    if (c.flushes) flush_strip(x);
    round_strip(x, c, y);
    if (c.flushes) flush_strip(y);
    double* const value = to.value[p][q] + first;
    std::int32_t* const exponent = to.exponent[p][q] + first;
    ULPFUZZ_ALONG
    for (unsigned i = 0; i < strip; ++i) value[i] = y[i];
    ULPFUZZ_ALONG
    for (unsigned i = 0; i < strip; ++i) exponent[i] = alignment(y[i], c.format);
    ULPFUZZ_ALONG
    for (unsigned i = 0; i < strip; ++i) x[i] = x[i] - y[i];  // exact
  }
}

}  // namespace ulpfuzz::kernels
