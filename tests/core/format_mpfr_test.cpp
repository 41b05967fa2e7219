#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz {
namespace {

class Real {
 public:
  explicit Real(int precision) { mpfr_init2(value, precision); }
  ~Real() { mpfr_clear(value); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_t value;
};

// MPFR's significands lie in [1/2, 1), so its exponents are one above ours.
class ExponentRange {
 public:
  explicit ExponentRange(const FormatTraits& t) {
    mpfr_set_emin(t.emin - t.precision + 2);
    mpfr_set_emax(t.emax + 1);
  }
  ~ExponentRange() {
    mpfr_set_emin(emin_);
    mpfr_set_emax(emax_);
  }
  ExponentRange(const ExponentRange&) = delete;
  ExponentRange& operator=(const ExponentRange&) = delete;

 private:
  mpfr_exp_t emin_ = mpfr_get_emin();
  mpfr_exp_t emax_ = mpfr_get_emax();
};

double by_mpfr(double x, Format format, mpfr_rnd_t rounding) {
  const FormatTraits& t = traits(format);
  Real y(t.precision);
  const ExponentRange range(t);
  const int inexact = mpfr_set_d(y.value, x, rounding);
  mpfr_subnormalize(y.value, inexact, rounding);
  return mpfr_get_d(y.value, MPFR_RNDN);
}

// Ties away has no MPFR mode: the nearest integer multiple of the quantum, mpfr_round's halves
// being rounded away.
double away_by_integers(double x, Format format) {
  if (x == 0) return x;
  const FormatTraits& t = traits(format);
  Real n(64);
  mpfr_set_d(n.value, x, MPFR_RNDN);
  const int quantum = std::max(std::ilogb(x), t.emin) - t.precision + 1;
  mpfr_div_2si(n.value, n.value, quantum, MPFR_RNDN);
  mpfr_round(n.value, n.value);
  mpfr_mul_2si(n.value, n.value, quantum, MPFR_RNDN);
  const double y = mpfr_get_d(n.value, MPFR_RNDN);
  return std::fabs(y) > t.max() ? std::copysign(HUGE_VAL, x) : y;
}

double expected(double x, Format format, Rounding rounding) {
  if (rounding == Rounding::nearest_away) return away_by_integers(x, format);
  const bool even = rounding == Rounding::nearest_even;
  return by_mpfr(x, format, even ? MPFR_RNDN : MPFR_RNDZ);
}

// Values, ties and their neighbours in every binade of the format, its ends and beyond.
std::vector<double> edge_values(const FormatTraits& t) {
  std::vector<double> values{0.0, std::numeric_limits<double>::denorm_min(), 0x1p-1022,
                             std::numeric_limits<double>::max()};
  for (int e = t.emin - t.precision - 3; e <= t.emax + 2; ++e) {
    const double half_quantum = std::ldexp(1.0, std::max(e, t.emin) - t.precision);
    for (int k = -3; k <= 3; ++k) values.push_back(std::ldexp(1.0, e) + k * half_quantum);
  }
  const std::size_t exact = values.size();
  for (std::size_t i = 0; i < exact; ++i) {
    values.push_back(std::nextafter(values[i], HUGE_VAL));
    values.push_back(std::nextafter(values[i], -HUGE_VAL));
  }
  const std::size_t all = values.size();
  for (std::size_t i = 0; i < all; ++i) values.push_back(-values[i]);
  return values;
}

std::vector<double> random_values(const FormatTraits& t, std::size_t count) {
  std::mt19937_64 random(20240229);
  std::uniform_int_distribution<int> exponent(t.emin - t.precision - 3, t.emax + 2);
  std::vector<double> values;
  while (values.size() < count) {
    const std::uint64_t bits = random();
    // Half of the significands have few bits, so that ties are common.
    const std::uint64_t mask = bits >> 63 ? ~std::uint64_t{0} : ~std::uint64_t{0} << 40;
    const double significand = 1 + std::ldexp(static_cast<double>((bits & mask) >> 12 << 1), -53);
    values.push_back(std::ldexp(bits & 1 ? -significand : significand, exponent(random)));
  }
  return values;
}

void compare(const std::vector<double>& values, Format format, Rounding rounding) {
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    const double got = round_to(x, format, rounding);
    const double want = expected(x, format, rounding);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want))
        << std::hexfloat << "x = " << x << ", got " << got << ", want " << want << ", "
        << traits(format).name << ", rounding " << static_cast<int>(rounding);
  }
}

class EachRounding : public ::testing::TestWithParam<std::tuple<Format, Rounding>> {};

TEST_P(EachRounding, AgreesWithMpfr) {
  const auto [format, rounding] = GetParam();
  const FormatTraits& t = traits(format);
  compare(edge_values(t), format, rounding);
  compare(random_values(t, 50'000), format, rounding);
}

INSTANTIATE_TEST_SUITE_P(
    RoundTo, EachRounding,
    ::testing::Combine(::testing::Values(Format::fp32, Format::tf32, Format::bf16, Format::fp16),
                       ::testing::Values(Rounding::nearest_even, Rounding::nearest_away,
                                         Rounding::toward_zero)));

TEST(RoundTo, IsTheHardwaresConversionToFp32) {
  for (const double x : random_values(traits(Format::fp32), 50'000)) {
    ASSERT_EQ(round_to(x, Format::fp32), double{static_cast<float>(x)}) << std::hexfloat << x;
  }
}

}  // namespace
}  // namespace ulpfuzz
