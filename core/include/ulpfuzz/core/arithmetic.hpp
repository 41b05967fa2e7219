#pragma once

#include <cstdint>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz {

/// Largest error in ulps that the elementary functions of an evaluator may make against the exact
/// value. The defaults cover CUDA, XLA, glibc and SLEEF; vector libraries may need more and then
/// claim it (libmvec exp 3.0; Eigen tanh 7.5, erf 8.5: measured over all floats, docs/bounds.md).
struct ElementaryAccuracy {
  double exp = 2.5;
  double tanh = 6.0;
  double erf = 7.5;
  double log1p = 3.5;
  double rsqrt = 2.5;

  bool operator==(const ElementaryAccuracy&) const = default;
};

/// What an evaluation claims to compute with. Order of summation, use of FMA and the position of
/// the bias are left free: bounds hold for every choice.
struct Arithmetic {
  Format operand = Format::fp32;  ///< what matmul operands are converted to
  Rounding conversion = Rounding::nearest_even;
  Format accumulate = Format::fp32;  ///< format in which sums, products and functions are rounded
  Format store = Format::fp32;       ///< format of the network's outputs
  bool flushes_subnormals = false;   ///< FTZ or DAZ
  ElementaryAccuracy elementary;

  bool operator==(const Arithmetic&) const = default;
};

}  // namespace ulpfuzz
