#include "convert.hpp"

#include <algorithm>
#include <cmath>

#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::emulated {
namespace {

using kernels::Cut;

ULPFUZZ_CLONES void to_even(const float* from, std::size_t count, Format format, float* to) {
  kernels::round_floats<Cut::to_even>(from, count, format, to);
}
ULPFUZZ_CLONES void to_away(const float* from, std::size_t count, Format format, float* to) {
  kernels::round_floats<Cut::to_away>(from, count, format, to);
}
ULPFUZZ_CLONES void to_zero(const float* from, std::size_t count, Format format, float* to) {
  kernels::round_floats<Cut::to_zero>(from, count, format, to);
}

}  // namespace

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

ULPFUZZ_CLONES void alignments(const float* x, std::size_t count, Format format, std::int32_t* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = kernels::alignment(x[i], format);
}

}  // namespace ulpfuzz::emulated
