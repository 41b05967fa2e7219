#pragma once

#include <cstddef>

#include "ulpfuzz/core/arithmetic.hpp"

/// Conversions of whole arrays; `from` and `to` may be the same.
namespace ulpfuzz::emulated {

/// How an operand of a product becomes what is multiplied: so many pieces of a format. With
/// `flushes`, subnormals are taken as zero before and after.
struct Conversion {
  Format format = Format::fp32;
  Rounding rounding = Rounding::nearest_even;
  std::size_t pieces = 1;
  bool flushes = false;

  bool changes_nothing() const {
    return (format == Format::fp32 || format == Format::fp64) && !flushes;
  }
};

Conversion operand_conversion(const Arithmetic& arithmetic);

/// x rounded to the format; to fp32 and fp64: nothing.
void round_to(const float* from, std::size_t count, Format format, Rounding rounding, float* to);
/// To nearest even, in place.
void round_doubles(double* x, std::size_t count, Format format);
void flush_subnormals(float* x, std::size_t count);

/// Piece p, the part of x that the pieces before it leave out, to to[p * count + i].
void convert(const float* from, std::size_t count, const Conversion& conversion, float* to);

/// 2^(exponent field) of each x, that of subnormals being the format's least; 0 for 0: what a
/// matmul unit aligns by.
void exponents(const float* x, std::size_t count, Format format, float* to);

}  // namespace ulpfuzz::emulated
