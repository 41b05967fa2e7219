#include "states.hpp"

#include <cmath>

namespace ulpfuzz::bounds {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

State known(double which, double& value, double& error, double& variance, double& local) {
  value = which;
  error = variance = local = 0;
  return State::class_known;
}

}  // namespace

void ClassOfSum::add_finite(double term, double error) {
  positive_ += std::max(term, 0.0) + error;
  negative_ += std::max(-term, 0.0) + error;
}

void ClassOfSum::add(const Operand& a) {
  if (a.state == State::finite) {
    add_finite(a.value, a.error);
  } else if (a.state != State::class_known) {
    unknown_ = true;
  } else if (std::isnan(a.value)) {
    nan_ = true;
  } else {
    add_infinity(std::signbit(a.value));
  }
}

void ClassOfSum::add_product(const Operand& a, const Operand& b, bool converted) {
  if (a.state > State::class_known || b.state > State::class_known) {
    unknown_ = true;
    return;
  }
  if (a.state == State::finite && b.state == State::finite) {
    const double reach = std::max(std::abs(a.value) + a.error, std::abs(b.value) + b.error);
    if (converted && !(reach < model_.conversion_limit)) unknown_ = true;
    // Conversions move a product, and products of pieces may have either sign.
    const double moved =
        model_.growth * (std::abs(a.value) + a.error) * (std::abs(b.value) + b.error);
    add_finite(a.value * b.value, std::abs(a.value) * b.error + std::abs(b.value) * a.error +
                                      a.error * b.error + moved);
    return;
  }
  // A factor that is or may be read as zero: NaN, or nothing where zeros are skipped.
  const bool certain = (a.state == State::class_known || a.nonzero(model_.daz)) &&
                       (b.state == State::class_known || b.nonzero(model_.daz)) && !converted;
  if (!certain) {
    unknown_ = true;
  } else if (std::isnan(a.value) || std::isnan(b.value)) {
    nan_ = true;
  } else {
    add_infinity(std::signbit(a.value) != std::signbit(b.value));
  }
}

State ClassOfSum::finish(double& value, double& error, double& variance, double& local) const {
  const double limit = omega_;
  if (nan_ || (plus_ && minus_))
    return known(std::numeric_limits<double>::quiet_NaN(), value, error, variance, local);
  if (unknown_) return State::unknown;
  // Rounding moves a partial sum by the final error at most, and the terms by less than 2^-10.
  const bool over = !(positive_ * (1 + 0x1p-10) + error < limit);
  const bool under = !(negative_ * (1 + 0x1p-10) + error < limit);
  if (plus_)
    return !(negative_ * (1 + 0x1p-10) < limit / 2)
               ? State::unknown
               : known(infinity, value, error, variance, local);
  if (minus_)
    return !(positive_ * (1 + 0x1p-10) < limit / 2)
               ? State::unknown
               : known(-infinity, value, error, variance, local);
  if (!std::isfinite(error) || !std::isfinite(value) || (over && under)) return State::unknown;
  if (std::abs(value) - error >= model_.overflow)
    return known(std::copysign(infinity, value), value, error, variance, local);
  return over || under || !(std::abs(value) + error < limit) ? State::range : State::finite;
}

State state_of_result(double& value, double& error, double& variance, double& local, double omega,
                      double overflow) {
  if (!std::isfinite(error) || !std::isfinite(value)) return State::unknown;
  if (std::abs(value) - error >= overflow)
    return known(std::copysign(infinity, value), value, error, variance, local);
  return std::abs(value) + error < omega ? State::finite : State::range;
}

}  // namespace ulpfuzz::bounds
