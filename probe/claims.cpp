#include "claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpfuzz::probe {
namespace {

/// Relative error of a conversion.
double conversion_error(Format format, Rounding rounding) {
  if (format == Format::fp32 || format == Format::fp64) return 0;
  const double u = traits(format).unit_roundoff();
  return rounding == Rounding::toward_zero ? 2 * u : u;
}

/// What a split leaves out of an operand or a product, roughly: enough to rank them.
double split_error(Split split) {
  switch (split) {
    case Split::none:
      return 0;
    case Split::bf16x9:
      return 0x1p-25;
    case Split::bf16x6:
      return 0x1p-23;
    case Split::tf32x3:
      return 0x1p-21;
    case Split::bf16x3:
      return 0x1p-16;
  }
  return 0;
}

std::string_view name_of(Split split) {
  switch (split) {
    case Split::bf16x3:
      return "bf16x3";
    case Split::bf16x6:
      return "bf16x6";
    case Split::bf16x9:
      return "bf16x9";
    case Split::tf32x3:
      return "tf32x3";
    case Split::none:
      break;
  }
  return "none";
}

double error_of(const Operand& o) {
  if (!o.known) return std::ldexp(1.0, -o.bits);
  if (o.exact()) return 0;
  double least = 1;
  for (const Rounding r : o.roundings) least = std::min(least, conversion_error(o.format, r));
  return o.pieces > 1 ? std::ldexp(1.0, -o.bits) : least;
}

std::string operands(const SumArithmetic& found, const Arithmetic& claim) {
  const double claimed = claim.split != Split::none
                             ? split_error(claim.split)
                             : conversion_error(claim.operand, claim.conversion);
  const std::string words = claim.split != Split::none ? std::string(name_of(claim.split))
                                                       : std::string(traits(claim.operand).name);
  const double seen = found.split != Split::none
                          ? split_error(found.split)
                          : std::max(error_of(found.left), error_of(found.right));
  if (seen > claimed * (1 + 1e-9)) return fmt::format("claimed: {} operands", words);
  const bool fp16 = found.left.format == Format::fp16 || found.right.format == Format::fp16;
  if (fp16 && (claim.split != Split::none || claim.operand != Format::fp16))
    return fmt::format("claimed: {} operands, with their range", words);
  if (found.split == Split::none && !found.products_round_once && claim.split == Split::none &&
      claim.operand == Format::fp32)
    return "claimed: fp32 operands, whose products are rounded once";
  return {};
}

double unit_error(const MatmulUnit& unit) {
  const double block = unit.block;
  return ((1 + 1 / block) * std::ldexp(1.0, 24 - unit.fraction) + 2 / block) * unit_roundoff_fp32;
}

/// Error of one addition relative to the terms, as bounds count it. fp32 to nearest is as good as
/// any unit.
double addition_error(const MatmulUnit& unit, int bits, bool nearest) {
  if (unit.block > 0) return std::max(unit_error(unit), unit_roundoff_fp32);
  return std::ldexp(nearest ? 1.0 : 2.0, -bits);
}

std::string sums(const SumArithmetic& found, const Arithmetic& claim, bool product) {
  const int claimed_bits = traits(claim.accumulate).precision;
  const bool nearest = found.sum_bits == all_bits || found.sum_rounding == Direction::untold ||
                       found.sum_rounding == Direction::nearest_even ||
                       found.sum_rounding == Direction::nearest_away;
  const double claimed = addition_error(product ? claim.unit : MatmulUnit{}, claimed_bits, true);
  MatmulUnit unit = found.unit;
  if (found.whole_sum) unit.block = std::max(unit.block, claim.unit.block);
  if (addition_error(unit, found.sum_bits, nearest) > claimed * (1 + 1e-9))
    return product && claim.unit.block > 0
               ? fmt::format("claimed: a unit of {} products, {} fractional bits", claim.unit.block,
                             claim.unit.fraction)
               : fmt::format("claimed: sums in {}", traits(claim.accumulate).name);
  const int partial = product && claim.partials > 1
                          ? std::min(claimed_bits, traits(claim.partial).precision)
                          : claimed_bits;
  if (found.partials > 0 && found.partial_bits < partial)
    return fmt::format("claimed: partial sums of {} bits", partial);
  return {};
}

Breaches breaches_of_one(const SumArithmetic& found, const Arithmetic& claim, bool product) {
  Breaches all;
  if (product) all.operands = operands(found, claim);
  all.sums = sums(found, claim, product);
  const int results = std::min({traits(claim.accumulate).precision, traits(claim.keep).precision,
                                traits(claim.store).precision, 24});
  if (found.result_bits < results) all.results = fmt::format("claimed: {} bits", results);
  if (claim.depth > 0 && found.depth > claim.depth)
    all.depth = fmt::format("claimed: at most {} roundings on the way", claim.depth);
  return all;
}

}  // namespace

Breaches breaches(const SumArithmetic& found, const Arithmetic& claim, bool product) {
  Breaches stated = breaches_of_one(found, claim, product);
  if (!claim.mixed || !product || !stated.any()) return stated;
  if (!breaches_of_one(found, plain_products(claim), product).any()) return {};
  for (std::string* why : {&stated.operands, &stated.sums, &stated.results, &stated.depth})
    if (!why->empty()) *why += ", or a product in plain fp32";
  return stated;
}

}  // namespace ulpfuzz::probe
