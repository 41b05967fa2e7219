#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine.hpp"
#include "evidence_support.hpp"
#include "search.hpp"

/// Evidence that tempts to name a cause which explains nothing.
namespace ulpfuzz::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Summation forwards{Summation::Order::sequential, 8, false, false};

Scenario wide_answers(Op activation, int layers = 2) {
  Scenario s;
  NodeId h = s.network.input(20);
  for (int l = 0; l < layers; ++l)
    h = s.network.activation(activation, examples::build::dense(s.network, h, 24));
  s.network.output(examples::build::dense(s.network, h, 12));
  fill(s, 21);
  return s;
}

TEST(WrongNetworkFile, IsSaidOfResultsThatAgreeAndNoArithmeticIsNamed) {
  Scenario s = wide_answers(Op::tanh);
  const Scenario other = wide_answers(Op::sigmoid);
  const auto a = evaluate(other, Quantity::outputs, pairwise);
  const auto b = evaluate(other, Quantity::outputs, lanes_fused);
  for (const auto& second : {a, b}) {
    const Explanation e = explain(s.evidence(Quantity::outputs, a, second));
    EXPECT_EQ(e.conclusion, Conclusion::other_cause);
    EXPECT_EQ(e.wrong_side, "both");
    EXPECT_EQ(e.verdict, "both results differ from this network in the same way");
    EXPECT_TRUE(e.unexplained);
    EXPECT_THAT(e.cause, Not(HasSubstr("nearest")));
    EXPECT_THAT(e.remedy, HasSubstr("check the network file"));
    EXPECT_THAT(e.confidence, Not(HasSubstr("high")));
  }
}

TEST(Reordering, IsNotNamedAfterTheClassThatFitsByChance) {
  Scenario s = wide_answers(Op::tanh, 5);
  const auto a = evaluate(s, Quantity::outputs, pairwise);
  auto b = a;  // a float off here and there, as no order that is tried gives
  for (std::size_t i = 0; i < b.size(); i += 2)
    b[i] = std::nextafter(b[i], i % 4 == 0 ? 9.0f : -9.0f);
  const Explanation e = explain(s.evidence(Quantity::outputs, a, b));
  ASSERT_EQ(e.conclusion, Conclusion::reordering);
  ASSERT_FALSE(e.matches.empty());
  EXPECT_EQ(e.matches.front().hypothesis, "fp32");
}

TEST(Score, IsWorseForAPredictionThatOverflows) {
  const std::vector<double> seen{1, 2}, near{1.5, 2.5}, scale{1, 1};
  const std::vector<double> infinite{1, std::numeric_limits<double>::infinity()};
  const std::vector<double> nan{1, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_LT(score(seen, near, scale), score(seen, infinite, scale));
  EXPECT_LT(score(seen, near, scale), score(seen, nan, scale));
}

TEST(Gradients, WithRandomValuesAreUnexplainedHoweverManyZerosAgree) {
  Scenario s = wide_answers(Op::relu);
  const auto a = evaluate(s, Quantity::parameter_jacobian, pairwise);
  auto b = a;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (b[i] != 0) b[i] = 0.1f * std::sin(static_cast<float>(i) * 1.7f + 1);
  const Explanation e = explain(s.evidence(Quantity::parameter_jacobian, a, b));
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_THAT(e.cause, HasSubstr("unexplained"));
  EXPECT_THAT(e.confidence, Not(HasSubstr("high")));
}

TEST(Gradients, WithOneNanAreNamedByIt) {
  Scenario s = wide_answers(Op::relu);
  const auto a = evaluate(s, Quantity::parameter_jacobian, pairwise);
  auto b = a;
  b[7] = std::numeric_limits<float>::quiet_NaN();
  const Explanation e = explain(s.evidence(Quantity::parameter_jacobian, a, b));
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  EXPECT_EQ(e.wrong_side, "b");
  EXPECT_THAT(e.cause, HasSubstr("NaN or infinity on side b"));
}

TEST(Conclusion, IsUndecidableWhereUnjudgedElementsDifferWildly) {
  Scenario s = draw(3, Op::tanh);
  const auto a = evaluate(s, Quantity::outputs, pairwise);
  auto b = evaluate(s, Quantity::outputs, lanes_fused);
  Baseline base{{a.begin(), a.end()},
                std::vector<double>(a.size(), 1e-5),
                std::vector<double>(a.size(), 1e-6),
                std::vector<bool>(a.size(), true)};
  base.usable[1] = false;
  Explanation near, nan, equal;
  conclude(s.evidence(Quantity::outputs, a, b), base, near);
  EXPECT_EQ(near.conclusion, Conclusion::reordering);
  b[1] = std::numeric_limits<float>::quiet_NaN();
  conclude(s.evidence(Quantity::outputs, a, b), base, nan);
  EXPECT_EQ(nan.conclusion, Conclusion::undecidable);
  EXPECT_THAT(nan.notes, Contains(HasSubstr("1 elements that no bound speaks of differ")));
  base.usable.assign(a.size(), false);
  conclude(s.evidence(Quantity::outputs, a, a), base, equal);
  EXPECT_EQ(equal.conclusion, Conclusion::equal);
  EXPECT_EQ(equal.verdict, "equal bit for bit; no bound applies");
}

TEST(Fp32, ThatPredictsAllBitsIsPreferredHoweverUnusual) {
  Scenario s;
  s.rows = 1;
  s.network.output(s.network.linear(s.network.input(1024), s.network.parameter(1, 1024)));
  fill(s, 1);
  std::fill(s.parameters[0].data.begin(), s.parameters[0].data.end(), 1.0f);
  std::fill(s.x.begin(), s.x.end(), 0x1p-24f);
  s.x[0] = 1;
  const auto a = evaluate(s, Quantity::outputs, forwards);
  const auto b = std::vector<float>{1.00006103515625f};
  const Explanation e = explain(s.evidence(Quantity::outputs, a, b));
  ASSERT_EQ(a[0], 1.0f);
  EXPECT_EQ(e.conclusion, Conclusion::reordering);
  EXPECT_EQ(e.cause, "fp32, any order of summation on both sides");
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
