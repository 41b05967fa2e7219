#pragma once

#include <cstdint>
#include <string_view>

namespace ulpfuzz {

/// The floating-point formats of the field. tf32 exists only as an operand of a matmul unit: it has
/// the exponent range of fp32 and the precision of fp16.
enum class Format : std::uint8_t { fp64, fp32, tf32, bf16, fp16 };

/// Rounding of a conversion: to nearest with ties to even or away from zero, or truncation.
enum class Rounding : std::uint8_t { nearest_even, nearest_away, toward_zero };

/// What a format can hold. `precision` counts the hidden bit; `emin` and `emax` are the exponents
/// of the least and the largest normal binade [2^e, 2^(e+1)).
struct FormatTraits {
  std::string_view name;
  int precision;
  int emin;
  int emax;

  /// u = 2^-precision, the unit roundoff of rounding to nearest (half the machine epsilon).
  double unit_roundoff() const;
  /// Largest finite value.
  double max() const;
  /// Least positive (subnormal) value, 2^(emin - precision + 1).
  double least() const;
};

const FormatTraits& traits(Format format);

/// x rounded to `format`. Subnormals round gradually; what rounds beyond max() becomes infinity for
/// the nearest modes and max() for toward_zero (IEEE 754-2019, section 7.4). NaN stays NaN.
/// x is exact: rounding an fp64 result again rounds twice.
double round_to(double x, Format format, Rounding rounding = Rounding::nearest_even);

/// u32 = 2^-24.
inline constexpr double unit_roundoff_fp32 = 0x1p-24;

}  // namespace ulpfuzz
