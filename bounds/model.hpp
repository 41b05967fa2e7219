#pragma once

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bounds {

/// An Arithmetic in the numbers that the formulas need (docs/bounds.md, "Arithmetic").
struct Model {
  double u;         ///< unit roundoff of every operation
  double eta;       ///< most that one underflow (gradual, or flushed) adds
  double sum_eta;   ///< the same for an addition: exact unless flushed or narrow
  double daz;       ///< most that one operand read as zero changes; 0 without flushing
  double omega;     ///< results that stay below cannot overflow
  double overflow;  ///< results that are at least this, whatever their error, are infinite
  /// Narrower than the fp32 of inputs and parameters: even a product with 1 may round one of them.
  bool narrow;
  int precision;       ///< for the exact tier: bits of a sum
  int least_exponent;  ///< exponent of the least value that is kept

  /// Dot products do more than round in any order: `general_rows` bounds them, from what follows.
  bool general;
  Format operand;  ///< what operands, or their pieces, are converted to, and how
  Rounding rounding;
  double conversion;        ///< relative error of a converted matmul operand; 0 for none
  double conversion_eta;    ///< its absolute error among subnormals
  double conversion_limit;  ///< a larger operand may become infinite
  int operand_precision;
  int operand_least_exponent;
  double split;   ///< relative error of a product that is made of pieces; 0 without a split
  int passes;     ///< products of pieces in place of each product; 1 without a split
  int copies;     ///< those that the walk lays side by side instead; 1 where it does not
  double growth;  ///< magnitudes of what is added exceed those of the terms by this share at most
  bool converts_operands;  ///< conversion or split
  bool exact_products;     ///< of converted operands, before they are added
  MatmulUnit unit;
  bool unit_keeps_largest;  ///< it cuts nothing off its largest term
  double depth;             ///< 0: any order
  double partials;          ///< 1: not split
  double partial_u;         ///< of one more rounding of partial sums; 0 for none
  double partial_eta;
  double dot_omega;  ///< as omega, precision and least_exponent, of dot products
  int dot_precision;
  int dot_least_exponent;
  bool outer_by_matmul;  ///< else outer products only round
  bool mixed;            ///< some products may be converted, others not

  bool stores;  ///< results, or outputs, are rounded once more, to a narrower format

  Formulas formulas;
  ElementaryAccuracy kappa;
};

Model model_of(const Arithmetic& arithmetic);

/// What operands of products, or their pieces, are rounded to.
Format operand_format(const Arithmetic& arithmetic);
/// Does that differ from the fp32 of inputs and parameters? So it does for all splits.
bool converts_operands(const Arithmetic& arithmetic);

/// For operands that are converted already, or are pieces of such.
void take_conversions_as_done(Model& m);
/// For outer products that do not go through the matmul unit: plain dot products.
Model without_matmul(const Model& m);

/// Covers the roundings of the bound formulas themselves and of the fp64 reference, which are 2^-29
/// of what they are held against.
inline constexpr double inflation = 1 + 0x1p-26;

/// The probabilistic tier is sound in its model for lambda of at least this (see `lambda`).
inline constexpr double least_lambda = 6.0;

}  // namespace ulpfuzz::bounds
