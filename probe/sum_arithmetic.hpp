#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "site.hpp"
#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/probe/sum_tree.hpp"

namespace ulpfuzz::probe {

/// What becomes of a factor before it is multiplied.
struct Operand {
  Format format = Format::fp32;
  std::vector<Rounding> roundings;  ///< of the conversion: those that fit all that was seen
  int pieces = 1;                   ///< of that format
  int bits = 24;                    ///< that survive
  bool known = true;                ///< false: no conversion fits; `bits` is what was measured

  /// One of those that fit; where none is needed or known, to nearest even.
  Rounding rounding() const {
    return roundings.empty() ? Rounding::nearest_even : roundings.front();
  }
  bool exact() const { return known && format == Format::fp32; }
  bool operator==(const Operand&) const = default;
};

enum class Direction : std::uint8_t { untold, nearest_even, nearest_away, toward_zero, down, up };

/// A sum that keeps so many bits keeps all that the test vectors have.
inline constexpr int all_bits = 99;

/// How a site multiplies and adds.
struct SumArithmetic {
  Operand left, right;
  Split split = Split::none;
  bool products_round_once = true;  ///< a product alone is the exact one of its operands, rounded
  int sum_bits = 0;                 ///< most significant bits kept when two numbers are added
  Direction sum_rounding = Direction::untold;
  MatmulUnit unit;         ///< block 0: none seen
  bool whole_sum = false;  ///< all terms are one block of the unit, which may take more
  Direction unit_rounding = Direction::untold;
  int result_bits = 0;
  std::size_t partials = 0;  ///< sums on the way that are rounded to fewer bits
  int partial_bits = 0;
  Fusion fusion = Fusion::unseen;
  std::uint32_t depth = 0;     ///< roundings on the longest way of a product to the result
  std::vector<int> node_bits;  ///< of each node of the tree, 0 where it was not measured
  std::vector<bool> fused;     ///< of each leaf: is its product added by FMA?
  /// Two terms that meet in a sum of `sum_bits`, and one that is added next; if there are any.
  std::optional<std::array<std::size_t, 3>> trio;
  int first_bits = 0;  ///< least of the sums that term 0 goes through, below the result

  /// Not looking at what depends on the length of the sum alone.
  bool same_kind(const SumArithmetic& other) const;
};

/// Tries vectors on a site whose order is known (FMA and units need it; without, `tree.revealed` is
/// false and what can be told otherwise is). Throws SubjectFault.
SumArithmetic measure(Site& site, const SumTree& tree, std::uint64_t seed);

/// Parts of measure().
void measure_precision(Site& site, const SumTree& tree, SumArithmetic& found);
void measure_operands(Site& site, std::uint64_t seed, SumArithmetic& found);
void measure_fusion(Site& site, const SumTree& tree, SumArithmetic& found);

/// How many of `count` random sums come out, bit for bit, as tree and arithmetic say; nothing where
/// these do not say enough.
std::optional<std::size_t> count_predicted(Site& site, const SumTree& tree,
                                           const SumArithmetic& arithmetic, std::uint64_t seed,
                                           std::size_t count);

/// x rounded to a precision, exponents unbounded.
double round_bits(double x, int bits, Direction direction);
/// A factor as the operand has it.
double converted(const Operand& operand, Rounding rounding, float x);

/// "fp32, as they are", "tf32, to nearest even or to nearest away", "13 bits, of no known
/// conversion"
std::string describe(const Operand& operand);
/// Of both sides, or the split.
std::string describe_operands(const SumArithmetic& arithmetic);
std::string_view describe(Direction direction);
std::string describe_sum(const SumArithmetic& arithmetic);

/// 2^exponent as a product of two powers, each inside fp16's range if the product is above 2^-29.
Term power(int exponent);

}  // namespace ulpfuzz::probe
