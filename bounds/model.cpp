#include "model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpfuzz::bounds {
namespace {

double omega(const FormatTraits& f) { return f.max() * (1 - f.unit_roundoff()); }

double overflow(const FormatTraits& f) { return f.max() * (1 + 2 * f.unit_roundoff()); }

int least_exponent(const FormatTraits& f) { return f.emin - f.precision + 1; }

// The reference is itself evaluated in fp64, so a subject of that precision is given the
// reference's error on top: eight unit roundoffs in place of one.
double roundoff(Format format) {
  const double u = traits(format).unit_roundoff();
  return format == Format::fp64 ? 8 * u : u;
}

void set_operand(Model& m, const Arithmetic& a) {
  const FormatTraits& f = traits(a.operand);
  m.operand_precision = f.precision;
  m.operand_least_exponent = least_exponent(f);
  // Inputs and parameters are fp32; values in between may have been rounded to less already.
  const bool converts = f.precision < traits(Format::fp32).precision;
  m.conversion_limit = std::numeric_limits<double>::infinity();
  if (!converts) {
    m.operand_precision = m.precision;
    m.operand_least_exponent = m.least_exponent;
    return;
  }
  const double factor = a.conversion == Rounding::toward_zero ? 2 : 1;
  m.conversion = factor * f.unit_roundoff();
  m.conversion_bias = a.conversion == Rounding::toward_zero ? m.conversion / 4 : 0;
  m.conversion_eta = factor * f.least() / 2;
  m.conversion_limit = f.max();
}

}  // namespace

Model model_of(const Arithmetic& a) {
  const FormatTraits& f = traits(a.accumulate);
  Model m{};
  m.u = roundoff(a.accumulate);
  m.precision = f.precision;
  m.narrow = f.precision < traits(Format::fp32).precision;
  m.least_exponent = a.flushes_subnormals ? f.emin : least_exponent(f);
  m.daz = a.flushes_subnormals ? std::ldexp(1.0, f.emin) : 0;
  m.eta = a.flushes_subnormals ? 2 * m.daz : f.least() / 2;
  m.omega = omega(f);
  m.overflow = overflow(f);
  m.sum_eta = (m.narrow ? m.eta : 0) + 2 * m.daz;
  set_operand(m, a);
  if (a.flushes_subnormals) m.operand_least_exponent = std::max(m.operand_least_exponent, f.emin);

  const FormatTraits& s = traits(a.store);
  m.stores = s.precision < f.precision;
  m.store_u = s.unit_roundoff();
  m.store_eta = a.flushes_subnormals ? std::ldexp(1.0, s.emin) : s.least() / 2;
  m.store_omega = omega(s);
  m.store_overflow = overflow(s);
  m.store_precision = s.precision;
  m.store_least_exponent = a.flushes_subnormals ? s.emin : least_exponent(s);
  m.kappa = a.elementary;
  return m;
}

}  // namespace ulpfuzz::bounds
