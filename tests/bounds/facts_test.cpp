#include <gtest/gtest.h>

#include <cmath>

#include "../../bounds/general_coefficients.hpp"
#include "../../bounds/rules.hpp"
#include "bounds/network_support.hpp"
#include "bounds/sums.hpp"

/// Facts that the theory rests on, by their numbers in docs/facts.md.
namespace ulpfuzz::bounds {
namespace {

using testing::left_to_right;
using testing::u;

std::vector<float> one_and_roundoffs(std::size_t n) {
  std::vector<float> terms(n, static_cast<float>(u));
  terms[0] = 1;
  return terms;
}

TEST(Facts, F04_TwoOrdersOfOneAndTwoRoundoffsGiveTwoSums) {
  const std::vector<float> terms = one_and_roundoffs(3);
  EXPECT_EQ(left_to_right(terms), 1);
  EXPECT_EQ(left_to_right({terms[2], terms[1], terms[0]}), 1 + 0x1p-23f);
}

TEST(Facts, F05_OneAndRoundoffsAttainTheSoundBoundAndPassTheProbabilisticOneFrom46On) {
  for (const std::size_t n : {3u, 45u, 46u, 101u, 4097u}) {
    const double count = static_cast<double>(n), exact = 1 + (count - 1) * u;
    const double error = exact - left_to_right(one_and_roundoffs(n));
    EXPECT_EQ(error, (count - 1) * u);
    const double bound = sum_coefficients(model_of({}), n).radius(exact, exact);
    EXPECT_GE(bound, error);
    EXPECT_LE(bound, error * (1 + 3 * count * u)) << n;
    // lambda u sqrt(Q + n M^2): for roundings that do not conspire as these do.
    const double squares = 1 + (count - 1) * u * u;
    const double probabilistic = lambda(1) * u * std::sqrt(squares + count * exact * exact);
    EXPECT_EQ(probabilistic < error, n >= 46) << n;
  }
}

TEST(Facts, F06_SubsetSumsAreSharperThanTheClassicBoundWhereTermsCancel) {
  // (1,1).(1,-1) and room for a bias: S = 2, P = N = 1.
  const DotCoefficients c = dot_coefficients(model_of({}), 2, 2, false, 2);
  EXPECT_NEAR(c.cap * 2 / u, 6, 1e-5);
  EXPECT_NEAR((c.of_sum * 2 + c.of_side * 1) / u, 4, 1e-5);
}

TEST(Facts, F08_TheLinearBoundHoldsWhereNUIsEight) {
  Arithmetic a;
  a.accumulate = Format::bf16;
  double s = 0;
  for (int i = 0; i < 2048; ++i) s = round_to(s + 1, Format::bf16);
  const double error = 2048 - s, nu = 2048 * 0x1p-8;
  EXPECT_EQ(nu, 8);
  EXPECT_GT(error, 1700);
  EXPECT_LT(error, nu * 2048);
  const double bound = sum_coefficients(model_of(a), 2048).radius(2048, 2048);
  EXPECT_GE(bound, error);
  EXPECT_LE(bound, nu * 2048 * 1.01);
}

TEST(Facts, F09_ABiasIsOneMoreTerm) {
  // relu(3 * 0.5 - 1): S = 2.5, M = 1.5, u S + u M = 4u.
  EXPECT_EQ(3 * 0.5 - 1, 0.5);
  EXPECT_NEAR(dot_coefficients(model_of({}), 1, 1, false, 3.5).radius(2.5, 1.5) / u, 4, 1e-5);
}

TEST(Facts, F11_FormsOfGeluDifferByTheirDefinitionAndSoftplusMeetsItsThreshold) {
  testing::Bench erf, tanh, softplus;
  make_activation(erf, Op::gelu_erf);
  make_activation(tanh, Op::gelu_tanh);
  make_activation(softplus, Op::softplus);
  double most = 0, at = 0;
  for (float x = 0; x < 6; x += 0.005f) {
    const double d = std::fabs(erf.run({{x}}).reference[0] - tanh.run({{x}}).reference[0]);
    if (d > most) at = x;
    most = std::max(most, d);
  }
  EXPECT_NEAR(most, 4.73e-4, 5e-7);
  EXPECT_NEAR(at, 2.70, 0.01);
  const double excess = softplus.run({{20.0f}}).reference[0] - 20;
  EXPECT_NEAR(excess, 2.06e-9, 5e-12);
  EXPECT_LT(excess, std::ldexp(20, -24) / 2);
}

TEST(Facts, F12_ConstantsOfTheStatistics) {
  EXPECT_NEAR(lambda(1, 1e-9), 6.5447, 5e-5);
  EXPECT_NEAR(1 / std::sqrt(8 * std::log(2.0)), 0.42466, 5e-6);
  EXPECT_NEAR(std::log(0.05) / std::log(1 - 1e-3), 2994.2, 0.05);
  EXPECT_NEAR(1 - std::pow(0.05, 1.0 / 1000), 2.991e-3, 5e-7);
}

// A row of values that all have the same error.
Value row(const std::vector<double>& values, double error) {
  Value x;
  x.reset(1, {1, static_cast<std::uint32_t>(values.size())});
  x.zero_errors();
  x.error_free = false;
  std::copy(values.begin(), values.end(), x.value.begin());
  std::fill_n(x.error.begin(), values.size(), error);
  return x;
}

TEST(Facts, F13_TheImageOfABoxUnderReluIsOneSided) {
  Network n;
  const NodeId id = n.activation(Op::relu, n.input(3));
  Context c;
  c.model = model_of({});
  const Value x = row({1e-8, -1e-8, -1}, 1e-7);
  Value y;
  y.reset(1, {1, 3});
  activation_rule(n.node(id), x, y, c);
  EXPECT_NEAR(y.error[0], 1e-7, 1e-14);
  EXPECT_NEAR(y.error[1], 9e-8, 1e-14);
  EXPECT_EQ(y.error[2], 0);
}

TEST(Facts, F14_SoftmaxOfTwoZerosWithRadiusLogTwoReachesFourFifths) {
  Context c;
  c.model = model_of({});
  const Value x = row({0, 0}, std::log(2.0));
  Value y;
  y.reset(1, {1, 2});
  softmax_rule(x, y, c);
  EXPECT_EQ(y.value[0], 0.5);
  EXPECT_NEAR(y.value[0] + y.error[0], 0.8, 2e-6);
}

TEST(Facts, F15_RoundingsOfAMatmulUnitPerProduct) {
  const auto per_product = [](const MatmulUnit& unit) {
    return unit_roundings(unit, false, 16.0 * unit.block, 16, true) / (16.0 * unit.block);
  };
  EXPECT_EQ(per_product({4, 24}), 1.75);
  EXPECT_EQ(per_product({8, 24}), 1.375);
  EXPECT_EQ(per_product({8, 25}), 0.8125);
  EXPECT_EQ(per_product({16, 25}), 0.65625);
  EXPECT_EQ(per_product({4, 23}), 3.0);
  EXPECT_EQ(unit_roundings({4, 24}, false, 2, 1, true), 5);
  EXPECT_EQ(unit_roundings({4, 24}, false, 10, 3, true), 19);
}

}  // namespace
}  // namespace ulpfuzz::bounds
