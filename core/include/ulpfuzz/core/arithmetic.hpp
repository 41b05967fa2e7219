#pragma once

#include <cstdint>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz {

/// Largest error in ulps that the elementary functions of an evaluator may make against the exact
/// value. The defaults cover CUDA, XLA, glibc and SLEEF; vector libraries may need more and then
/// claim it (libmvec exp 3.0; Eigen tanh 7.5, erf 8.5: measured over all floats, docs/bounds.md).
struct ElementaryAccuracy {
  double exp = 2.5;
  double exp_per_unit = 0;  ///< exp(x) may err this much more for each unit of |x| (__expf: 1.173)
  double tanh = 6.0;
  double erf = 7.5;
  double log1p = 3.5;
  double rsqrt = 2.5;

  bool operator==(const ElementaryAccuracy&) const = default;
};

/// What CUDA's approximate functions (--use_fast_math) state: __expf 2 + 1.173 |x| ulps,
/// tanh.approx a relative error of 2^-11, which is 4096 ulps.
inline constexpr ElementaryAccuracy fast_functions{.exp = 3, .exp_per_unit = 1.173, .tanh = 4096};

/// Emulation of fp32 products by several of a narrower format: operands are cut into pieces of it,
/// and of the products of pieces the so many largest are added. bf16x9 and the sum of all pieces
/// are exact.
enum class Split : std::uint8_t { none, bf16x3, bf16x6, bf16x9, tf32x3 };

/// A matmul unit (tensor core) that adds in blocks: `block` exact products and the accumulator are
/// aligned to the largest exponent among them, each cut to `fraction` fractional bits of it, added
/// exactly, and the sum is cut to fp32. block 0: there is no such unit; sums round as usual.
struct MatmulUnit {
  std::uint32_t block = 0;
  int fraction = 24;

  bool operator==(const MatmulUnit&) const = default;
};

/// Units by generation, as MMA-Sim found them (arXiv 2511.10909): tf32 operands, then fp16 and
/// bf16.
namespace matmul_units {
inline constexpr MatmulUnit volta_half{4, 23};
inline constexpr MatmulUnit turing_half{8, 24};
inline constexpr MatmulUnit ampere_tf32{4, 24};  ///< and Ada
inline constexpr MatmulUnit ampere_half{8, 24};
inline constexpr MatmulUnit hopper_tf32{8, 25};  ///< and Blackwell
inline constexpr MatmulUnit hopper_half{16, 25};
}  // namespace matmul_units

/// Which formulas an evaluator may use for its activations: any of the usual ones, or those alone
/// that keep relative accuracy (expm1, not exp - 1).
enum class Formulas : std::uint8_t { any, accurate };

/// What an evaluation claims to compute with. Order of summation, use of FMA and the position of
/// the bias are left free: bounds hold for every choice.
struct Arithmetic {
  Format operand = Format::fp32;                 ///< what matmul operands are converted to
  Rounding conversion = Rounding::nearest_even;  ///< how; of split operands: each piece
  Split split = Split::none;                     ///< if any, stands in place of `operand`
  Format accumulate = Format::fp32;  ///< format in which sums, products and functions are rounded
  MatmulUnit unit;                   ///< if any, adds the products of linear and matmul
  /// Most roundings on the way of a term into its sum, the product's own and the bias counted: n +
  /// 1 for n terms left to right with a bias; 0: any order. Only for sums without a unit.
  std::uint32_t depth = 0;
  /// Split-K: each dot product is made of at most so many partial sums, which are rounded to
  /// `partial` and then added; how many, and of which terms, may differ from element to element
  /// (stream-K). 0 and 1: not split.
  std::uint32_t partials = 0;
  Format partial = Format::fp32;
  Format keep = Format::fp32;       ///< format that the result of every op is rounded to once more
  Format store = Format::fp32;      ///< format of the network's outputs
  bool flushes_subnormals = false;  ///< FTZ or DAZ
  /// Outer products of gradients (inner dimension 1) go through the matmul unit, with its operands.
  bool outer_by_matmul = true;
  /// Any product may be evaluated in plain fp32 instead (`plain_products`): libraries choose
  /// kernels by shape, and small products and single rows seldom go through a matmul unit.
  bool mixed = false;
  Formulas formulas = Formulas::any;
  ElementaryAccuracy elementary;

  bool operator==(const Arithmetic&) const = default;
};

/// The other arithmetic that products of a mixed one may have: operands and sums in fp32, in any
/// order and in any number of parts; all else as stated, flushing included.
Arithmetic plain_products(const Arithmetic& mixed);

/// Do some roundings cut (units, conversions toward zero), so that errors have a mean?
bool truncates(const Arithmetic& arithmetic);

}  // namespace ulpfuzz
