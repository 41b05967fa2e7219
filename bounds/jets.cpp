#include "jets.hpp"

#include <algorithm>
#include <cmath>

namespace ulpfuzz::bounds {
namespace {

constexpr double inverse_sqrt_2pi = 0.39894228040143267794;
constexpr double inverse_sqrt_2 = 0.70710678118654752440;
constexpr double sqrt_2_over_pi = 0.79788456080286535588;
constexpr double cubic = 0.044715;

// Frameworks return x for x > 20 in place of softplus(x), which is off by 2.1e-9 there.
constexpr double softplus_threshold = 20;
constexpr double softplus_beyond = 2.1e-9;

}  // namespace

void GeluErf::operator()(const V8& z, const V8& reach, Jet& j) const {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double x = z[l];
    const double density = inverse_sqrt_2pi * std::exp(-0.5 * x * x);
    const double cumulative = 0.5 * std::erfc(-x * inverse_sqrt_2);
    j.value[l] = x * cumulative;
    j.first[l] = cumulative + x * density;
    j.second[l] = density == 0 ? 0 : density * (2 - x * x);
    j.value_envelope[l] = reach[l] * (k.erf + 3.5);
    j.first_envelope[l] = k.erf + k.exp / 2 + 4 + per_unit_gelu * k.exp_per_unit;
  }
}

void GeluTanh::operator()(const V8& z, const V8& reach, Jet& j) const {
  const V8 x = max(min(z, splat(1e4)), splat(-1e4));
  const V8 slope = sqrt_2_over_pi * (1.0 + 3 * cubic * x * x);
  const V8 bend = sqrt_2_over_pi * 6 * cubic * x;
  V8 t;
  tanh(sqrt_2_over_pi * (x + cubic * x * x * x), t);
  const V8 rest = 1.0 - t * t;
  const V8 t1 = rest * slope;
  const V8 t2 = rest * bend - 2.0 * t * t1 * slope;
  j.value = 0.5 * z * (1.0 + t);
  j.first = 0.5 * (1.0 + t) + 0.5 * x * t1;
  j.second = t1 + 0.5 * x * t2;
  // Accuracy of tanh, be it by exp.
  const double accuracy = std::max(k.tanh, 0.5 * (k.exp + 5 + per_unit_tanh * k.exp_per_unit));
  j.value_envelope = reach * (accuracy + 4.1);
  // 1 - t^2 errs by 2|t| E_t + E_t^2 + 3, absolutely, and is multiplied by x slope / 2; E_t counts
  // the rounding of tanh's argument as 3, and t is the largest in the box.
  const V8 wide = min(reach, splat(1e30));
  const V8 steep = sqrt_2_over_pi * (1.0 + 3 * cubic * wide * wide);
  const V8 top = min(abs(t) + steep * (reach - abs(z)), splat(1.0));
  const V8 tanh_error = 2 * k.tanh * top + (3.0 + per_unit_tanh * k.exp_per_unit);
  const V8 rest_error = (2.0 * top + u * tanh_error) * tanh_error + 3.0;
  const V8 widest = min(rest + 2.0 * steep * (reach - abs(z)), splat(1.0));
  j.first_envelope = 0.5 * tanh_error + 2.0 + 0.5 * wide * steep * (rest_error + 4.0 * widest);
}

void Softplus::operator()(const V8& z, const V8& reach, Jet& j) const {
  for (std::size_t l = 0; l < lanes; ++l) {
    const double x = z[l];
    const double e = std::exp(-std::fabs(x));
    const double s = x >= 0 ? 1 / (1 + e) : e / (1 + e);
    const bool threshold = reach[l] >= softplus_threshold && x > 0 && !accurate;
    const double beyond = threshold ? softplus_beyond / u : 0;
    const double value = std::max(x, 0.0) + std::log1p(e);
    const double radius = reach[l] - std::fabs(x);
    const double growing = 2 * k.exp_per_unit * reach[l] * std::min(1.0, s + radius);
    j.value[l] = value;
    j.first[l] = s;
    j.second[l] = s * (1 - s);
    const double accurately = 2 * k.exp * s + 2 * k.log1p * value + value;
    j.value_envelope[l] = (accurate ? accurately : accurately + 1 + radius + beyond) + growing;
    const double by_exp = (2 * k.exp * (1 - s) + 2) * s + per_unit_sigmoid * k.exp_per_unit;
    j.first_envelope[l] = accurate ? by_exp + std::min(lost, s + 0.25 * radius) / u
                                   : std::max(by_exp, k.tanh + 1) + beyond;
  }
}

}  // namespace ulpfuzz::bounds
