#include "ulpfuzz/core/format.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace ulpfuzz {
namespace {

constexpr std::array<FormatTraits, 5> table{{{"fp64", 53, -1022, 1023},
                                             {"fp32", 24, -126, 127},
                                             {"tf32", 11, -126, 127},
                                             {"bf16", 8, -126, 127},
                                             {"fp16", 11, -14, 15}}};

constexpr int fp64_bits = 53;
constexpr std::uint64_t hidden_bit = std::uint64_t{1} << (fp64_bits - 1);

double power_of_two(int exponent) {  // exponent is that of a normal fp64 number
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << (fp64_bits - 1));
}

// significand / 2^dropped as an integer; 1 <= dropped <= 63, so that no bit of the quotient is
// lost.
std::uint64_t rounded_shift(std::uint64_t significand, int dropped, Rounding rounding) {
  const std::uint64_t kept = significand >> dropped;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << dropped) - 1);
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  if (rounding == Rounding::toward_zero || rest < half) return kept;
  if (rest == half && rounding == Rounding::nearest_even) return kept + (kept & 1);
  return kept + 1;
}

// For an exponent in emin..emax-1: a carry out of the significand moves the exponent up by itself.
std::uint64_t rounded_normal(std::uint64_t bits, int dropped, Rounding rounding) {
  const std::uint64_t half = std::uint64_t{1} << (dropped - 1);
  if (rounding == Rounding::nearest_even) bits += half - 1 + ((bits >> dropped) & 1);
  if (rounding == Rounding::nearest_away) bits += half;
  return bits & ~(2 * half - 1);
}

}  // namespace

double FormatTraits::unit_roundoff() const { return power_of_two(-precision); }
double FormatTraits::max() const { return power_of_two(emax) * (2 - power_of_two(1 - precision)); }
double FormatTraits::least() const { return std::ldexp(1.0, emin - precision + 1); }

const FormatTraits& traits(Format format) { return table[static_cast<std::size_t>(format)]; }

double round_to(double x, Format format, Rounding rounding) {
  if (format == Format::fp64 || !std::isfinite(x)) return x;
  const FormatTraits& t = traits(format);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int biased = static_cast<int>((bits >> (fp64_bits - 1)) & 0x7ff);
  const int exponent = biased - 1023;
  if (exponent >= t.emin && exponent < t.emax)
    return std::bit_cast<double>(rounded_normal(bits, fp64_bits - t.precision, rounding));
  // The quantum is 2^(max(exponent, emin) - precision + 1).
  const int clamped = exponent < t.emin ? t.emin : exponent;
  const int dropped = fp64_bits - t.precision + (clamped - exponent);
  // Below half the least subnormal; an fp64 subnormal is always there.
  if (biased == 0 || dropped > fp64_bits) return std::copysign(0.0, x);
  if (exponent > t.emax) {
    const bool truncates = rounding == Rounding::toward_zero;
    return std::copysign(truncates ? t.max() : std::numeric_limits<double>::infinity(), x);
  }
  const std::uint64_t significand = (bits & (hidden_bit - 1)) | hidden_bit;
  const auto kept = static_cast<double>(rounded_shift(significand, dropped, rounding));
  const double magnitude = kept * power_of_two(clamped - t.precision + 1);
  const double bounded = magnitude > t.max() ? std::numeric_limits<double>::infinity() : magnitude;
  return std::copysign(bounded, x);
}

}  // namespace ulpfuzz
