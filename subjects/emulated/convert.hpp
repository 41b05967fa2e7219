#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/operand.hpp"

/// Conversions of whole arrays; `from` and `to` may be the same.
namespace ulpfuzz::emulated {

using kernels::Conversion;

/// x rounded to the format; to fp32 and fp64: nothing.
void round_to(const float* from, std::size_t count, Format format, Rounding rounding, float* to);
/// To nearest even, in place.
void round_doubles(double* x, std::size_t count, Format format);
void flush_subnormals(float* x, std::size_t count);

/// Piece p, the part of x that the pieces before it leave out, to to[p * count + i].
void convert(const float* from, std::size_t count, const Conversion& conversion, float* to);

/// kernels::alignment of each x.
void alignments(const float* x, std::size_t count, Format format, std::int32_t* to);

}  // namespace ulpfuzz::emulated
