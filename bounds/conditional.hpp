#pragma once

#include <cstdint>
#include <span>

#include "keep.hpp"
#include "model.hpp"
#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bounds {

/// How one operand of a product is converted: the inner dimension is repeated, once for each
/// product of pieces that the arithmetic keeps, and each copy holds one piece.
struct Conversion {
  Format format = Format::fp32;
  Rounding rounding = Rounding::nearest_even;
  std::span<const std::uint8_t> copies;  ///< which piece each holds; {0}: no split
  std::size_t pieces = 1;
  double lost = 0;          ///< relative error of a kept product against the exact one
  bool inner_rows = false;  ///< the inner dimension is that of the rows

  static Conversion of(const Arithmetic& arithmetic, bool left, bool inner_rows);
};

/// Fills `to` with the converted x: exact pieces of the reference, with the radius by which an
/// evaluation's pieces may differ, which is 0 unless a rounding boundary lies in the element's box.
void convert_operand(const Value& x, const Conversion& how, Value& to);

}  // namespace ulpfuzz::bounds
