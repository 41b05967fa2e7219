#include "convert.hpp"

#include <algorithm>
#include <cmath>

#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/emulated_formats.hpp"

namespace ulpfuzz::emulated {
namespace {

using kernels::Cut;

template <Cut How>
ULPFUZZ_INLINE void round_array(const float* from, std::size_t count, Format format, float* to) {
  if (format == Format::tf32)
    for (std::size_t i = 0; i < count; ++i) to[i] = kernels::drop_bits<13, How>(from[i]);
  else if (format == Format::bf16)
    for (std::size_t i = 0; i < count; ++i) to[i] = kernels::drop_bits<16, How>(from[i]);
  else
    for (std::size_t i = 0; i < count; ++i) to[i] = kernels::to_fp16<How>(from[i]);
}

ULPFUZZ_CLONES void to_even(const float* from, std::size_t count, Format format, float* to) {
  round_array<Cut::to_even>(from, count, format, to);
}
ULPFUZZ_CLONES void to_away(const float* from, std::size_t count, Format format, float* to) {
  round_array<Cut::to_away>(from, count, format, to);
}
ULPFUZZ_CLONES void to_zero(const float* from, std::size_t count, Format format, float* to) {
  round_array<Cut::to_zero>(from, count, format, to);
}

}  // namespace

Conversion operand_conversion(const Arithmetic& a) {
  Conversion c{a.operand, a.conversion, 1, a.flushes_subnormals};
  if (a.split == Split::none) return c;
  c.format = a.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
  c.pieces = a.split == Split::bf16x6 || a.split == Split::bf16x9 ? 3 : 2;
  return c;
}

void round_to(const float* from, std::size_t count, Format format, Rounding rounding, float* to) {
  if (format == Format::fp32 || format == Format::fp64) {
    if (from != to) std::copy_n(from, count, to);
  } else if (rounding == Rounding::nearest_even) {
    to_even(from, count, format, to);
  } else if (rounding == Rounding::nearest_away) {
    to_away(from, count, format, to);
  } else {
    to_zero(from, count, format, to);
  }
}

void round_doubles(double* x, std::size_t count, Format format) {
  for (std::size_t i = 0; i < count; ++i) x[i] = ulpfuzz::round_to(x[i], format);
}

ULPFUZZ_CLONES void flush_subnormals(float* x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) x[i] = kernels::without_subnormals(x[i]);
}

void convert(const float* from, std::size_t count, const Conversion& c, float* to) {
  // A piece leaves its remainder, exact for nearest roundings and truncation, where the next one
  // is taken from.
  float* const end = to + c.pieces * count;
  if (from != to) std::copy_n(from, count, to);
  for (; to != end; to += count) {
    float* const rest = to + count;
    if (c.flushes) flush_subnormals(to, count);
    if (rest != end) std::copy_n(to, count, rest);
    round_to(to, count, c.format, c.rounding, to);
    if (c.flushes) flush_subnormals(to, count);
    if (rest != end)
      for (std::size_t i = 0; i < count; ++i) rest[i] = rest[i] - to[i];
  }
}

ULPFUZZ_CLONES void exponents(const float* x, std::size_t count, Format format, float* to) {
  const float least = format == Format::fp16 ? 0x1p-14f : 0x1p-126f;
  for (std::size_t i = 0; i < count; ++i) {
    const float power =
        __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x[i]) & 0x7f800000u);
    to[i] = x[i] == 0.0f ? 0.0f : (power < least ? least : power);
  }
}

}  // namespace ulpfuzz::emulated
