#include "sum_arithmetic.hpp"

#include <fmt/format.h>

#include "reveal.hpp"

namespace ulpfuzz::probe {
namespace {

std::string_view word(Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return "to nearest even";
    case Rounding::nearest_away:
      return "to nearest away";
    case Rounding::toward_zero:
      return "toward zero";
  }
  return "";
}

std::string bits_text(int bits) {
  switch (bits) {
    case 8:
      return "8 bits (bf16)";
    case 11:
      return "11 bits (fp16)";
    case 24:
      return "24 bits (fp32)";
    case 53:
      return "53 bits (fp64)";
    case all_bits:
      return "all bits: sums of the test vectors are exact";
    default:
      return fmt::format("{} bits", bits);
  }
}

}  // namespace

bool SumArithmetic::same_kind(const SumArithmetic& o) const {
  return left == o.left && right == o.right && split == o.split &&
         products_round_once == o.products_round_once && sum_bits == o.sum_bits &&
         sum_rounding == o.sum_rounding && unit == o.unit && unit_rounding == o.unit_rounding &&
         result_bits == o.result_bits && partial_bits == o.partial_bits;
}

SumArithmetic measure(Site& site, const SumTree& tree, std::uint64_t seed) {
  SumArithmetic found;
  measure_precision(site, tree, found);
  measure_operands(site, seed, found);
  measure_fusion(site, tree, found);
  return found;
}

std::string describe(const Operand& operand) {
  if (!operand.known) return fmt::format("{} bits, of no known conversion", operand.bits);
  if (operand.exact()) return "fp32, as they are";
  std::string text(traits(operand.format).name);
  if (operand.pieces > 1) text += fmt::format(" in {} pieces", operand.pieces);
  for (std::size_t i = 0; i < operand.roundings.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? ", " : " or ", word(operand.roundings[i]));
  return text;
}

std::string describe_operands(const SumArithmetic& a) {
  switch (a.split) {
    case Split::bf16x3:
      return "two pieces of bf16, their three largest products (bf16x3)";
    case Split::bf16x6:
      return "three pieces of bf16, their six largest products (bf16x6)";
    case Split::bf16x9:
      return "pieces, all products of them (bf16x9)";
    case Split::tf32x3:
      return "two pieces of tf32, their three largest products (tf32x3)";
    case Split::none:
      break;
  }
  std::string text = describe(a.left);
  if (!(a.left == a.right)) text += fmt::format("; the right one {}", describe(a.right));
  if (!a.products_round_once && a.left.known && a.right.known)
    text += "; products are not those of the operands, rounded";
  return text;
}

std::string_view describe(Direction direction) {
  switch (direction) {
    case Direction::nearest_even:
      return "to nearest even";
    case Direction::nearest_away:
      return "to nearest away";
    case Direction::toward_zero:
      return "toward zero";
    case Direction::down:
      return "down";
    case Direction::up:
      return "up";
    case Direction::untold:
      break;
  }
  return "in an unknown direction";
}

std::string describe_sum(const SumArithmetic& a) {
  if (a.unit.block > 0)
    return fmt::format(
        "a matmul unit: {} products and the sum at once, cut to {} fractional bits "
        "of the largest, to fp32 {}",
        a.unit.block, a.unit.fraction, describe(a.unit_rounding));
  std::string text = bits_text(a.sum_bits);
  if (a.sum_bits != all_bits) text += fmt::format(", rounded {}", describe(a.sum_rounding));
  if (a.partials > 0)
    text += fmt::format("; {} partial sums rounded to {}", a.partials, bits_text(a.partial_bits));
  return text;
}

}  // namespace ulpfuzz::probe
