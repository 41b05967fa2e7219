#include "../../bounds/dot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bounds/network_support.hpp"
#include "bounds/sums.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::left_to_right;
using testing::u;

const Model fp32 = model_of({});

std::vector<float> one_then(std::size_t n, float small) {
  std::vector<float> v(n, small);
  v[0] = 1;
  return v;
}

double absolute_sum(const std::vector<float>& v) {
  double s = 0;
  for (const float f : v) s += std::fabs(f);
  return s;
}

TEST(Dot, CoefficientsTakeTheSmallerOfClassicAndSubsetSum) {
  // (1,1).(1,-1): S = 2, M = 1. With room for a bias: classic 6u, subset-sum 4u.
  const DotCoefficients k = dot_coefficients(fp32, 2, 2, false, 2);
  EXPECT_NEAR(k.cap * 2 / u, 6, 1e-5);
  EXPECT_NEAR((k.of_sum * 2 + k.of_side * 1) / u, 4, 1e-5);
  EXPECT_NEAR(k.radius(2, 1) / u, 4, 1e-5);
}

TEST(Dot, OfOneProductAndABiasCountsBothRoundings) {
  // relu(3 * 0.5 - 1): S = 2.5, M = 1.5: u S + u M = 4u.
  EXPECT_NEAR(dot_coefficients(fp32, 1, 1, false, 3).radius(2.5, 1.5) / u, 4, 1e-5);
}

TEST(Dot, SumOfOneAndManyRoundoffsAttainsTheSoundBound) {
  for (const std::size_t n : {3u, 45u, 46u, 101u, 4097u}) {
    const std::vector<float> terms = one_then(n, static_cast<float>(u));
    const double exact = 1 + static_cast<double>(n - 1) * u;
    const double error = std::fabs(left_to_right(terms) - exact);
    EXPECT_EQ(error, static_cast<double>(n - 1) * u);
    const double bound = sum_coefficients(fp32, n).radius(exact, exact);
    EXPECT_GE(bound, error);
    const double nu = static_cast<double>(n) * u;
    EXPECT_LE(bound, error * (1 + 3 * nu)) << n;
  }
}

TEST(Dot, ProbabilisticTierAllowsForStagnatingSums) {
  for (const std::size_t n : {3u, 45u, 46u, 101u, 4097u}) {
    testing::Bench b;
    make_dot(b, std::vector<float>(n, 1));
    const std::vector<float> x = one_then(n, static_cast<float>(u));
    const OutputBounds y = b.run({x});
    const double error = std::fabs(left_to_right(x) - y.reference[0]);
    EXPECT_EQ(error, static_cast<double>(n - 1) * u);
    EXPECT_GE(lambda(1) * y.sigma[0], error) << n;
    // Without the allowance the model says less than that from n = 46 on.
    const double model = lambda(1) * u * std::sqrt(static_cast<double>(n + 1));
    EXPECT_EQ(model < error, n >= 46);
  }
}

TEST(Dot, StaysWithinTheLinearBoundFarBeyondNUEqualsOne) {
  // bf16 sums of 2048 ones: n u = 8. Stagnates at 256, yet below n u S.
  Arithmetic narrow;
  narrow.accumulate = Format::bf16;
  const Model bf16 = model_of(narrow);
  const DotCoefficients k = sum_coefficients(bf16, 2048);
  double s = 0;
  for (int i = 0; i < 2048; ++i) s = round_to(s + 1, Format::bf16);
  EXPECT_EQ(s, 256);
  const double bound = k.radius(2048, 2048);
  EXPECT_LE(2048 - s, bound);
  EXPECT_LE(bound, 8 * 2048.0 * 1.01);
}

TEST(Dot, AddsHalfTheLeastSubnormalForEachProductThatUnderflows) {
  Arithmetic half;
  half.accumulate = Format::fp16;
  const std::size_t n = 20;
  testing::Bench b;
  make_dot(b, std::vector<float>(n, 0x1p-12f));
  const OutputBounds y = b.run({std::vector<float>(n, 0x1p-13f)}, half);
  // Each product is a tie at half the least subnormal, and rounds to 0.
  EXPECT_EQ(round_to(0x1p-25, Format::fp16), 0);
  EXPECT_GE(y.sound[0], n * 0x1p-25);
  EXPECT_LE(y.sound[0], 2.1 * n * 0x1p-25);
}

TEST(Dot, StagnationFactsOfNarrowFormats) {
  EXPECT_EQ(0x1p24f + 1.0f, 0x1p24f);
  double half = 0, brain = 0;
  for (int i = 0; i < 4096; ++i) half = round_to(half + 1, Format::fp16);
  for (int i = 0; i < 1000; ++i) brain = round_to(brain + 1, Format::bf16);
  EXPECT_EQ(half, 2048);
  EXPECT_EQ(brain, 256);
}

TEST(Dot, TwoOrdersOfThreeTermsDifferWithinTheBound) {
  const float tiny = 0x1p-24f;
  EXPECT_EQ((1.0f + tiny) + tiny, 1.0f);
  EXPECT_EQ(1.0f + (tiny + tiny), 1 + 0x1p-23f);
  testing::Bench b;
  make_dot(b, {1, 1, 1});
  const OutputBounds y = b.run({{1, tiny, tiny}});
  EXPECT_EQ(y.reference[0], 1 + 0x1p-23);
  EXPECT_GE(y.sound[0], 0x1p-23);
  EXPECT_LE(y.sound[0], 1.5 * 0x1p-23 * 1.001);
  EXPECT_EQ(y.judgement[0], Judgement::usable);
}

TEST(Dot, ZeroTermsCostNothing) {
  testing::Bench padded, plain;
  make_dot(padded, {0.3f, 0, 0.7f, 0.1f, 0, 0});
  make_dot(plain, {0.3f, 0.7f, 0.1f});
  const double a = padded.run({{0.9f, 0, 0.2f, -0.4f, 0, 0}}).sound[0];
  const double b = plain.run({{0.9f, 0.2f, -0.4f}}).sound[0];
  EXPECT_NEAR(a / b, 1, 1e-12);
  EXPECT_GT(b, 0);
}

TEST(Dot, OneHotRowsSelectExactly) {
  testing::Bench b;
  const NodeId x = b.network.input(3);
  const NodeId w = b.parameter(3, 2, {0.1f, 0.2f, 0.3f, -0.4f, 0.5f, 0.6f});
  b.network.output(b.network.matmul(x, w));
  const OutputBounds y = b.run({{0, 1, 0, 0, 0, -1}});
  EXPECT_EQ(y.reference[1], double{-0.4f});
  EXPECT_EQ(y.reference[2], -double{0.5f});
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(y.judgement[i], Judgement::exact);
}

TEST(Dot, LinearBoundIsReachedWithinAFactorForFewTerms) {
  // Two products and a bias: random data come close to what the bound allows.
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  testing::Bench b;
  make_dot(b, {0.7310585f, -1.3132616f}, {0.3132617f});
  double worst = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::vector<float> x = {normal(random), normal(random)};
    const OutputBounds y = b.run({x});
    const float computed = (0.7310585f * x[0] + -1.3132616f * x[1]) + 0.3132617f;
    const double share = std::fabs(computed - y.reference[0]) / y.sound[0];
    ASSERT_LE(share, 1);
    worst = std::max(worst, share);
  }
  EXPECT_GT(worst, 0.5);
}

TEST(Dot, ConversionOfKnownOperandsIsBoundedByWhatItDoes) {
  testing::Bench b;
  make_dot(b, {1 + 0x1p-11f, 3});
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  const double x = 1 + 0x1p-12;
  const double change = std::fabs((1 + 0x1p-11) * x - 1);
  const OutputBounds y = b.run({{static_cast<float>(x), 0}}, tf32);
  EXPECT_GE(y.sound[0], change);
  EXPECT_LE(y.sound[0], change * (1 + 1e-6));
  EXPECT_NEAR(y.sigma[0], change, change * 1e-6);
  // Away from zero the weight grows instead; only the input is cut.
  tf32.conversion = Rounding::nearest_away;
  const double other = std::fabs((1 + 0x1p-11) * x - (1 + 0x1p-10));
  const double bound = b.run({{static_cast<float>(x), 0}}, tf32).sound[0];
  EXPECT_NEAR(bound, other, other * 1e-6);
}

TEST(Dot, ConversionsOfKnownOperandsCancel) {
  testing::Bench b;
  make_dot(b, {0.1f, -0.1f, 0.1f, -0.1f});
  Arithmetic bf16;
  bf16.operand = Format::bf16;
  EXPECT_LE(b.run({{0.3f, 0.3f, 0.3f, 0.3f}}, bf16).sound[0], 8 * u * 0.12);
  EXPECT_GT(b.run({{0.3f, -0.3f, 0.3f, -0.3f}}, bf16).sound[0], 1e-4);
}

TEST(Dot, FlushingAddsAbsoluteTermsAndTakesAwayExactness) {
  testing::Bench b;
  make_dot(b, {1, 1});
  const std::vector<float> x = {0x1p-140f, 0x1p-141f};
  EXPECT_EQ(b.run({x}).judgement[0], Judgement::exact);
  Arithmetic flush;
  flush.flushes_subnormals = true;
  const OutputBounds y = b.run({x}, flush);
  EXPECT_EQ(y.judgement[0], Judgement::usable);
  EXPECT_GE(y.sound[0], absolute_sum(x));
  EXPECT_LE(y.sound[0], 40 * 0x1p-126);
}

}  // namespace
}  // namespace ulpfuzz::bounds
