#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <limits>
#include <random>

#include "ulpfuzz/kernels/double_double_math.hpp"

namespace ulpfuzz::kernels {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

class Real {
 public:
  Real() { mpfr_init2(value, 400); }
  explicit Real(DoubleDouble x) : Real() {
    mpfr_set_d(value, x.hi, MPFR_RNDN);
    mpfr_add_d(value, value, x.lo, MPFR_RNDN);
  }
  ~Real() { mpfr_clear(value); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  mpfr_t value;
};

double relative_error(DoubleDouble got, const Real& exact) {
  if (mpfr_zero_p(exact.value)) return got.hi == 0 ? 0 : inf;
  Real difference(got);
  mpfr_sub(difference.value, difference.value, exact.value, MPFR_RNDN);
  mpfr_div(difference.value, difference.value, exact.value, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference.value, MPFR_RNDN));
}

DoubleDouble random_number(std::mt19937_64& engine, double scale) {
  std::uniform_real_distribution<double> draw(-scale, scale);
  return quick_two_sum(draw(engine), draw(engine) * 0x1p-54 / scale * 0.25);
}

constexpr int trials = 20000;

TEST(DoubleDouble, ArithmeticHasRelativeErrorsBelow2ToTheMinus102) {
  std::mt19937_64 engine(1);
  for (int i = 0; i < trials; ++i) {
    const DoubleDouble a = random_number(engine, 8);
    const DoubleDouble b = random_number(engine, i % 2 == 0 ? 8 : 1e-3);
    const Real ra(a);
    const Real rb(b);
    Real exact;
    mpfr_add(exact.value, ra.value, rb.value, MPFR_RNDN);
    ASSERT_LT(relative_error(a + b, exact), 0x1p-102);
    mpfr_sub(exact.value, ra.value, rb.value, MPFR_RNDN);
    ASSERT_LT(relative_error(a - b, exact), 0x1p-102);
    mpfr_mul(exact.value, ra.value, rb.value, MPFR_RNDN);
    ASSERT_LT(relative_error(a * b, exact), 0x1p-102);
    mpfr_div(exact.value, ra.value, rb.value, MPFR_RNDN);
    ASSERT_LT(relative_error(a / b, exact), 0x1p-102);
    mpfr_abs(exact.value, ra.value, MPFR_RNDN);
    mpfr_sqrt(exact.value, exact.value, MPFR_RNDN);
    ASSERT_LT(relative_error(sqrt(a.hi < 0 ? -a : a), exact), 0x1p-102);
  }
}

TEST(DoubleDouble, CancelsExactly) {
  const DoubleDouble third = DoubleDouble(1.0) / DoubleDouble(3.0);
  EXPECT_EQ(third - third, DoubleDouble(0.0));
  EXPECT_EQ((DoubleDouble(0x1p60) + DoubleDouble(0x1p-40)) - DoubleDouble(0x1p60),
            DoubleDouble(0x1p-40));
}

using Function = DoubleDouble (*)(DoubleDouble);
using Exact = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

void expect_accurate(const char* name, Function f, Exact exact_f, double low, double high) {
  std::mt19937_64 engine(2);
  std::uniform_real_distribution<double> exponent(-40, std::log2(std::max(-low, high)));
  for (int i = 0; i < trials / 4; ++i) {
    const double size = std::exp2(exponent(engine));
    const double x = engine() % 2 == 0 ? size : -size;
    if (x < low || x > high) continue;
    const DoubleDouble argument = quick_two_sum(x, x * 0x1p-55);
    const Real real(argument);
    Real exact;
    exact_f(exact.value, real.value, MPFR_RNDN);
    ASSERT_LT(relative_error(f(argument), exact), 0x1p-96) << name << " at " << x;
  }
}

TEST(DoubleDouble, FunctionsHaveRelativeErrorsBelow2ToTheMinus96) {
  expect_accurate("exp", exp, mpfr_exp, -600, 600);
  expect_accurate("expm1", expm1, mpfr_expm1, -100, 600);
  expect_accurate("log1p", log1p, mpfr_log1p, -0.9, 1e30);
  expect_accurate("tanh", tanh, mpfr_tanh, -100, 100);
  expect_accurate("erf", erf, mpfr_erf, -12, 12);
}

TEST(DoubleDouble, KeepsInfinityAndNaN) {
  const DoubleDouble large = inf;
  const DoubleDouble one = 1.0;
  EXPECT_EQ((large + one).hi, inf);
  EXPECT_EQ((one - large).hi, -inf);
  EXPECT_EQ((large * -one).hi, -inf);
  EXPECT_EQ((one / large).hi, 0.0);
  EXPECT_EQ((one / DoubleDouble(0.0)).hi, inf);
  EXPECT_EQ((large / one).hi, inf);
  EXPECT_TRUE(std::isnan((large - large).hi));
  EXPECT_TRUE(std::isnan((large * DoubleDouble(0.0)).hi));
  EXPECT_EQ((large + one).lo, 0.0);
  for (const Function f : {Function(exp), Function(expm1), Function(log1p), Function(tanh),
                           Function(erf), Function(sqrt)})
    EXPECT_TRUE(std::isnan(f(std::nan("")).hi));
  EXPECT_EQ(exp(large).hi, inf);
  EXPECT_EQ(exp(-large).hi, 0.0);
  EXPECT_EQ(expm1(-large).hi, -1.0);
  EXPECT_EQ(tanh(-large).hi, -1.0);
  EXPECT_EQ(erf(large).hi, 1.0);
  EXPECT_EQ(log1p(large).hi, inf);
  EXPECT_EQ(sqrt(large).hi, inf);
  EXPECT_TRUE(std::isnan(sqrt(-one).hi));
}

TEST(DoubleDouble, OrdersByBothWords) {
  const DoubleDouble a{1.0, 0x1p-60};
  const DoubleDouble b{1.0, 0x1p-59};
  EXPECT_TRUE(a < b && b > a && a <= a && a == a);
  EXPECT_FALSE(b < a || a == b || b <= a);
  EXPECT_FALSE(DoubleDouble(std::nan("")) <= a);
}

TEST(DoubleDouble, RoundsToFloatOnce) {
  const double tie = 1.0 + 0x1p-24;  // half way between two floats, the even one below
  EXPECT_EQ(static_cast<float>(DoubleDouble(tie)), 1.0f);
  EXPECT_EQ(static_cast<float>(DoubleDouble(tie, 0x1p-80)), 1.0f + 0x1p-23f);
  EXPECT_EQ(static_cast<float>(DoubleDouble(tie, -0x1p-80)), 1.0f);
  EXPECT_EQ(static_cast<float>(DoubleDouble(-tie, -0x1p-80)), -1.0f - 0x1p-23f);
  const double odd_tie = 1.0 + 3 * 0x1p-24;  // the even float is above
  EXPECT_EQ(static_cast<float>(DoubleDouble(odd_tie)), 1.0f + 0x1p-22f);
  EXPECT_EQ(static_cast<float>(DoubleDouble(odd_tie, -0x1p-80)), 1.0f + 0x1p-23f);
  EXPECT_EQ(static_cast<float>(DoubleDouble(-inf)), -std::numeric_limits<float>::infinity());
  std::mt19937_64 engine(3);
  for (int i = 0; i < trials; ++i) {
    const DoubleDouble x = random_number(engine, 2);
    const Real real(x);
    ASSERT_EQ(static_cast<float>(x), mpfr_get_flt(real.value, MPFR_RNDN));
  }
}

TEST(DoubleDouble, ConstantsAreTheNearest) {
  using Constant = Constants<DoubleDouble>;
  Real pi;
  mpfr_const_pi(pi.value, MPFR_RNDN);
  Real exact;
  mpfr_set_d(exact.value, 0.5, MPFR_RNDN);
  mpfr_sqrt(exact.value, exact.value, MPFR_RNDN);
  EXPECT_LT(relative_error(Constant::sqrt_half, exact), 0x1p-106);
  mpfr_d_div(exact.value, 2.0, pi.value, MPFR_RNDN);
  mpfr_sqrt(exact.value, exact.value, MPFR_RNDN);
  EXPECT_LT(relative_error(Constant::sqrt_two_over_pi, exact), 0x1p-106);
  mpfr_div_2ui(exact.value, exact.value, 1, MPFR_RNDN);
  EXPECT_LT(relative_error(Constant::inv_sqrt_two_pi, exact), 0x1p-106);
  mpfr_set_ui(exact.value, 44715, MPFR_RNDN);
  mpfr_div_ui(exact.value, exact.value, 1000000, MPFR_RNDN);
  EXPECT_LT(relative_error(Constant::gelu_cubic, exact), 0x1p-106);
  mpfr_const_log2(exact.value, MPFR_RNDN);
  EXPECT_LT(relative_error(Constant::log_two, exact), 0x1p-106);
}

}  // namespace
}  // namespace ulpfuzz::kernels
