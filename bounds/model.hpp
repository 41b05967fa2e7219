#pragma once

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bounds {

/// An Arithmetic in the numbers that the formulas need (docs/bounds.md, "Arithmetic").
struct Model {
  double u;                 ///< unit roundoff of every operation
  double eta;               ///< most that one underflow (gradual, or flushed) adds
  double sum_eta;           ///< the same for an addition: exact unless flushed or narrow
  double daz;               ///< most that one operand read as zero changes; 0 without flushing
  double conversion;        ///< relative error of a converted matmul operand; 0 for none
  double conversion_bias;   ///< for the probabilistic tier: truncation errs to one side
  double conversion_eta;    ///< its absolute error among subnormals
  double conversion_limit;  ///< a larger operand may become infinite
  double omega;             ///< sums that stay below cannot overflow
  double overflow;          ///< results that are at least this, whatever their error, are infinite
  /// Narrower than the fp32 of inputs and parameters: even a product with 1 may round one of them.
  bool narrow;
  int precision;       ///< for the exact tier: bits of a sum
  int least_exponent;  ///< exponent of the least value that is kept
  int operand_precision;
  int operand_least_exponent;

  bool stores;  ///< outputs are rounded once more, to a narrower format
  double store_u, store_eta, store_omega, store_overflow;
  int store_precision, store_least_exponent;

  ElementaryAccuracy kappa;
};

Model model_of(const Arithmetic& arithmetic);

/// Covers the roundings of the bound formulas themselves and of the fp64 reference, which are 2^-29
/// of what they are held against.
inline constexpr double inflation = 1 + 0x1p-26;

/// The probabilistic tier is sound in its model for lambda of at least this (see `lambda`).
inline constexpr double least_lambda = 6.0;

}  // namespace ulpfuzz::bounds
