#include "general_coefficients.hpp"

#include <algorithm>
#include <cmath>

namespace ulpfuzz::bounds {
namespace {

constexpr double u32 = 0x1p-24;

double divide_up(std::size_t n, std::size_t by) { return static_cast<double>((n + by - 1) / by); }

double cut(const MatmulUnit& unit) { return std::ldexp(1.0, 24 - unit.fraction); }

// d u (1 + d u) dominates (1 + u)^d - 1; the linear bound alone needs no condition on d u.
double classic(double roundings, double u) {
  const double du = roundings * u;
  return du <= 0.5 ? du * (1 + du) : du;
}

// Sets scale to 1 / (1 - share), or leaves the subset-sum form out where that says nothing.
void set_scale(GeneralCoefficients& c, double share, double u) {
  if (share < 0.25) {
    c.scale = (1 + u) / (1 - share);
  } else {
    c.of_sum = c.cap;
    c.of_binade = 0;
  }
}

// Partial sums are subset sums with errors; their magnitudes add up to at most S + T. A bias alone
// may be one.
void set_partial(GeneralCoefficients& c, const Model& m, double parts, double before) {
  c.parts = parts;
  if (m.partial_u == 0) return;
  c.partial = m.partial_u * (1 + before);
  c.spread_partial = c.partial * c.partial;
  c.constant += parts * m.partial_eta;
}

}  // namespace

// A block of m nonzero products and an accumulator cuts all of them but the largest, by less than
// g = 2^(e - F), e the largest exponent; what it adds then lies on multiples of g, so cutting the
// sum to U, its unit in fp32, costs U - g more, or nothing where U <= g. Together at most
// (m - 1) g + U or m g, and both g and U are at most 2^-23 [M + T], g also 2^-F [M + T], as all
// that is added and its sums are at most M + T. A single nonzero term is not cut at all.
double unit_roundings(const MatmulUnit& unit, bool keeps_largest, double terms, double blocks,
                      bool bias) {
  if (terms == 0) return 0;
  if (!keeps_largest) return (terms + blocks) * cut(unit) + 2 * blocks;
  if (terms == 1 && !bias) return 0;
  // The first block starts from zero.
  return (terms - blocks) * cut(unit) + 2 * blocks - (bias ? 0 : cut(unit));
}

namespace {

void set_unit(GeneralCoefficients& c, const Model& m, const DotShape& s) {
  const double terms = static_cast<double>(s.terms) * m.passes;
  const double parts = std::min(m.partials, terms);
  // Zeros may spread the products over all blocks. Products of pieces have blocks of their own.
  const std::size_t width = s.width / static_cast<std::size_t>(m.copies);
  const double all = divide_up(width, m.unit.block) + std::max(parts - 1, 0.0);
  const double blocks = std::min(terms, m.passes * m.copies * all);
  const double k = unit_roundings(m.unit, m.unit_keeps_largest, terms, blocks, s.bias);
  // Sums of parts and the bias round to nearest; so does a narrow accumulator, after every block.
  const double merges = std::max(parts - 1, 0.0) + (s.bias ? 1 : 0) + (m.narrow ? blocks + 1 : 0);
  c.unit_binade = k * u32;
  c.of_binade = c.unit_binade + merges * m.u;
  c.cap = (1 + c.unit_binade) * (1 + classic(merges, m.u)) - 1;
  set_partial(c, m, s.bias ? std::max(parts, 1.0) : parts, c.cap);
  // Cutting never moves away from zero, so the linear bound needs no condition.
  c.cap = (1 + c.cap) * (1 + m.partial_u) - 1;
  set_scale(c, c.of_binade, m.u);
  const double cut32 = cut(m.unit) * u32;
  c.spread = 0.25 * (terms * cut32 * cut32 + blocks * 4 * u32 * u32) + merges * m.u * m.u;
  c.spread_sum = c.spread;
  c.constant += (terms + blocks) * 2 * m.eta + merges * m.sum_eta;
  // Terms are aligned by exponents as they are stored: a subnormal factor counts as the least
  // normal number, so that all may be cut to 2^-F of its product with the other factor.
  const double least = std::ldexp(1.0, traits(m.operand).emin);
  c.constant += (terms + blocks) * std::ldexp(least, -m.unit.fraction) * (2 * s.largest + least);
}

void set_rounding(GeneralCoefficients& c, const Model& m, const DotShape& s) {
  const double n = static_cast<double>(s.terms) * m.passes;
  const double terms = n + (s.bias ? 1 : 0);
  const double additions = terms - 1 + (m.narrow ? 1 : 0);
  const double product = s.powers || m.exact_products ? 0 : m.u;
  const double roundings = additions + (product > 0 ? 1 : 0);
  c.of_sum = product;
  c.of_binade = additions * m.u;
  c.cap = classic(roundings, m.u);
  c.spread = additions * m.u * m.u;
  c.spread_sum = c.spread;
  if (m.depth > 0 && m.depth < roundings) {
    c.cap = std::expm1(m.depth * std::log1p(m.u));
    c.spread_sum = m.depth * m.u * m.u;
  }
  set_partial(c, m, std::min(m.partials, terms), c.cap);
  c.cap = (1 + c.cap) * (1 + m.partial_u) - 1;
  set_scale(c, c.of_binade, m.u);
  c.constant += (s.powers ? 0 : n * m.eta) + additions * m.sum_eta;
}

}  // namespace

GeneralCoefficients general_coefficients(const Model& m, const DotShape& s) {
  GeneralCoefficients c;
  if (s.terms == 0 && !s.bias) return c;
  if (m.unit.block != 0) {
    set_unit(c, m, s);
  } else {
    set_rounding(c, m, s);
  }
  c.of_sum += c.partial;
  const double n = static_cast<double>(s.terms);
  // Pieces that underflow are lost; operands read as zero, or their pieces.
  const double tiny = (m.passes > 1 ? m.conversion_eta : 0) + (m.passes > 1 ? 3 : 1) * m.daz;
  if (tiny > 0) c.constant += n * tiny * (s.largest + tiny) + n * m.daz;
  // What operands among the subnormals of the format grow by, before sums round.
  c.constant += c.cap * n * m.conversion_eta * (2 * s.largest + m.conversion_eta);
  return c;
}

}  // namespace ulpfuzz::bounds
