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

constexpr int fp32_precision = 24;

// Of operands in two or three pieces, each the rounding of what those before leave. With v the
// largest relative error of a piece's rounding, the second piece is at most v |x|. Of 24 bits, what
// two bf16 or tf32 pieces leave is at most v^2 |x| / 2, and three bf16 pieces leave nothing. So two
// pieces, without the product of the smaller ones, err by v^2 + 2 v^2 / 2 + v^4 / 4, and three,
// with the six largest products, by 2 (v v^2 / 2) + v^4 / 4 (docs/bounds.md, "Split operands").
void set_split(Model& m, const Arithmetic& a, double v) {
  switch (a.split) {
    case Split::none:
      return;
    case Split::bf16x3:
    case Split::tf32x3:
      m.split = 2 * v * v + v * v * v * v / 4;
      m.passes = 3;
      break;
    case Split::bf16x6:
      m.split = v * v * v + v * v * v * v / 4;
      m.passes = 6;
      break;
    case Split::bf16x9:
      m.passes = 9;
  }
  m.growth = (1 + 2 * v + v * v) * (1 + 2 * v + v * v) - 1;
}

void set_operand(Model& m, const Arithmetic& a) {
  m.operand = operand_format(a);
  m.rounding = a.conversion;
  const FormatTraits& f = traits(m.operand);
  m.operand_precision = f.precision;
  m.operand_least_exponent = least_exponent(f);
  // Inputs and parameters are fp32; values in between may have been rounded to less already.
  m.converts_operands = converts_operands(a);
  m.conversion_limit = std::numeric_limits<double>::infinity();
  if (!m.converts_operands) {
    m.operand_precision = m.precision;
    m.operand_least_exponent = m.least_exponent;
    return;
  }
  const double factor = a.conversion == Rounding::toward_zero ? 2 : 1;
  const double v = factor * f.unit_roundoff();
  m.conversion_eta = factor * f.least() / 2;
  m.conversion_limit = f.max();
  m.exact_products = 2 * f.precision <= std::min(m.precision, fp32_precision);
  set_split(m, a, v);
  if (m.passes > 1) return;
  m.conversion = v;
  m.growth = (1 + v) * (1 + v) - 1;
}

// A unit cuts its sums to fp32, whatever else they are rounded to.
void set_unit(Model& m, const Arithmetic& a) {
  m.unit = a.unit;
  if (a.unit.block == 0) return;
  const int product_bits = m.converts_operands ? 2 * m.operand_precision : 2 * fp32_precision;
  m.unit_keeps_largest =
      a.unit.fraction >= fp32_precision - 1 && product_bits - 1 <= a.unit.fraction;
  m.dot_precision = std::min({m.dot_precision, fp32_precision, a.unit.fraction + 1});
}

void set_partials(Model& m, const Arithmetic& a) {
  if (a.partials < 2) return;
  m.partials = a.partials;
  const FormatTraits& f = traits(a.partial);
  if (f.precision >= m.precision && f.emax >= traits(a.accumulate).emax) return;
  m.partial_u = f.unit_roundoff();
  m.partial_eta = a.flushes_subnormals ? std::ldexp(1.0, f.emin) : f.least() / 2;
  m.dot_omega = std::min(m.dot_omega, omega(f));
  m.dot_precision = std::min(m.dot_precision, f.precision);
  m.dot_least_exponent = std::max(m.dot_least_exponent, least_exponent(f));
}

void set_dot(Model& m) {
  m.passes = m.copies = 1;
  m.partials = 1;
  m.dot_omega = m.omega;
  m.dot_precision = m.precision;
  m.dot_least_exponent = m.least_exponent;
}

}  // namespace

Format operand_format(const Arithmetic& a) {
  if (a.split == Split::none) return a.operand;
  return a.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
}

bool converts_operands(const Arithmetic& a) {
  return traits(operand_format(a)).precision < fp32_precision;
}

Model model_of(const Arithmetic& a) {
  const FormatTraits& f = traits(a.accumulate);
  Model m{};
  m.u = roundoff(a.accumulate);
  m.precision = f.precision;
  m.narrow = f.precision < fp32_precision;
  m.least_exponent = a.flushes_subnormals ? f.emin : least_exponent(f);
  m.daz = a.flushes_subnormals ? std::ldexp(1.0, f.emin) : 0;
  m.eta = a.flushes_subnormals ? 2 * m.daz : f.least() / 2;
  m.omega = omega(f);
  m.overflow = overflow(f);
  m.sum_eta = (m.narrow ? m.eta : 0) + 2 * m.daz;
  set_dot(m);
  set_operand(m, a);
  if (a.flushes_subnormals) m.operand_least_exponent = std::max(m.operand_least_exponent, f.emin);
  set_unit(m, a);
  set_partials(m, a);
  m.depth = a.unit.block == 0 ? a.depth : 0;
  m.general = m.converts_operands || m.unit.block != 0 || m.depth > 0 || m.partial_u > 0;
  m.outer_by_matmul = a.outer_by_matmul;
  m.mixed = a.mixed;
  m.stores = traits(a.store).precision < f.precision || traits(a.keep).precision < f.precision;
  m.formulas = a.formulas;
  m.kappa = a.elementary;
  return m;
}

void take_conversions_as_done(Model& m) {
  m.conversion = m.conversion_eta = m.growth = 0;
  m.conversion_limit = std::numeric_limits<double>::infinity();
  m.converts_operands = false;
}

Model without_matmul(const Model& m) {
  Model plain = m;
  set_dot(plain);
  plain.general = plain.converts_operands = plain.exact_products = plain.unit_keeps_largest = false;
  plain.conversion = plain.conversion_eta = plain.split = plain.growth = 0;
  plain.conversion_limit = std::numeric_limits<double>::infinity();
  plain.operand_precision = m.precision;
  plain.operand_least_exponent = m.least_exponent;
  plain.unit = {};
  plain.depth = plain.partial_u = plain.partial_eta = 0;
  return plain;
}

}  // namespace ulpfuzz::bounds
