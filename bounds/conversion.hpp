#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "model.hpp"
#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::bounds {

/// Of an operand x known up to a radius: `value` is its conversion q(x) where the radius is 0, else
/// what q(x) is expected to be, and |q(x') - x' - (value - x)| <= half for every x' in the box.
struct Converted {
  double value, half;
};

/// Largest power of two of at most |x|; 0 for 0.
inline double binade(double x) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000ULL);
}

/// Most that the conversion of a number of this magnitude, or less, errs by: half an ulp of the
/// format, or an ulp where it truncates.
inline double conversion_error(double magnitude, const Model& m) {
  const double normal = m.conversion * binade(magnitude);
  return normal > m.conversion_eta ? normal : m.conversion_eta;
}

/// round_to for the model's operands, quick where x is a normal number of the format. A carry out
/// of the significand moves the exponent up by itself.
class Converter {
 public:
  explicit Converter(const Model& m)
      : model_(m),
        dropped_(std::max(53 - traits(m.operand).precision, 1)),
        half_(std::uint64_t{1} << (dropped_ - 1)),
        least_(std::bit_cast<std::uint64_t>(std::ldexp(1.0, traits(m.operand).emin))),
        most_(std::bit_cast<std::uint64_t>(std::ldexp(1.0, traits(m.operand).emax))) {}

  double operator()(double x) const {
    std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
    if (magnitude == 0) return x;
    if (magnitude < least_ || magnitude >= most_)
      return round_to(x, model_.operand, model_.rounding);
    if (model_.rounding == Rounding::nearest_even) bits += half_ - 1 + ((bits >> dropped_) & 1);
    if (model_.rounding == Rounding::nearest_away) bits += half_;
    return std::bit_cast<double>(bits & ~(2 * half_ - 1));
  }

  const Model& model() const { return model_; }

 private:
  const Model& model_;
  int dropped_;
  std::uint64_t half_, least_, most_;
};

/// Truncation errs towards zero: by half an ulp, on average.
inline Converted converted(double x, double radius, const Converter& convert) {
  if (radius == 0) return {convert(x), 0};
  const Model& m = convert.model();
  const double most = conversion_error((std::fabs(x) + radius) * (1 + 0x1p-50), m);
  if (m.rounding != Rounding::toward_zero) return {x, most};
  const double middle = 0.5 * conversion_error(std::fabs(x), m);
  return {x - std::copysign(middle, x), std::fabs(x) > radius ? most - middle : most + middle};
}

/// Standard deviation of a uniform conversion error is this times what `conversion_error` gives.
inline double conversion_spread(const Model& m) {
  constexpr double uniform = 0.57735026918962576;  // 1 / sqrt 3
  return m.rounding == Rounding::toward_zero ? 0.5 * uniform : uniform;
}

}  // namespace ulpfuzz::bounds
