#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bounds/emulator.hpp"
#include "bounds/network_support.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Bench;
using testing::make_activation;

// phi(w x): w x has an error, and its exact value is known.
OutputBounds after_product(Bench& b, Op op, float w, float x) {
  const NodeId z = b.network.linear(b.network.input(1), b.parameter(1, 1, {w}));
  b.network.output(b.network.activation(op, z));
  return b.run({{x}});
}

TEST(Relu, ImageIsOneSidedBelowZeroAndNothingOutOfReach) {
  const auto bound = [](float bias, float x) {
    Bench b;
    const NodeId z =
        b.network.linear(b.network.input(1), b.parameter(1, 1, {0.1f}), b.parameter(1, 1, {bias}));
    b.network.output(z);
    b.network.output(b.network.activation(Op::relu, z));
    b.run({{x}});
    const OutputBounds before = b.analysis.output(0);
    const OutputBounds after = b.analysis.output(1);
    return std::array<double, 3>{before.reference[0], before.sound[0], after.sound[0]};
  };
  const auto [z1, e1, r1] = bound(-0.01f, 0.1f);  // near zero, above or below
  EXPECT_NEAR(r1, z1 > 0 ? e1 : e1 + z1, 1e-6 * e1);
  EXPECT_GT(e1, std::fabs(z1));
  const auto [z2, e2, r2] = bound(-1, 0.1f);
  EXPECT_LT(z2, 0);
  EXPECT_GT(e2, 0);
  EXPECT_EQ(r2, 0);
  const auto [z3, e3, r3] = bound(1, 0.1f);
  EXPECT_NEAR(r3, e3, 1e-6 * e3);
  EXPECT_GT(z3, 0);
}

TEST(Gelu, FormsDifferByFarMoreThanTheirBounds) {
  Bench erf, tanh;
  make_activation(erf, Op::gelu_erf);
  make_activation(tanh, Op::gelu_tanh);
  double most = 0;
  for (float x = -6; x < 6; x += 0.01f) {
    const double d = std::fabs(erf.run({{x}}).reference[0] - tanh.run({{x}}).reference[0]);
    most = std::max(most, d);
  }
  EXPECT_NEAR(most, 4.73e-4, 1e-6);
  EXPECT_LT(erf.run({{2.7f}}).sound[0] + tanh.run({{2.7f}}).sound[0], 4.73e-4 / 100);
}

TEST(Softplus, ThresholdFormIsCoveredBeyondTwenty) {
  Bench b;
  make_activation(b, Op::softplus);
  const OutputBounds y = b.run({{20.0f}});
  EXPECT_NEAR(y.reference[0] - 20, 2.06e-9, 1e-11);
  EXPECT_GE(y.sound[0], y.reference[0] - 20);
}

TEST(Activations, ReferencesAreThoseOfTheMathLibrary) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 4);
  Bench tanh, sigmoid, silu, elu;
  make_activation(tanh, Op::tanh);
  make_activation(sigmoid, Op::sigmoid);
  make_activation(silu, Op::silu);
  make_activation(elu, Op::elu);
  for (int i = 0; i < 3000; ++i) {
    const float x = i % 3 == 0 ? normal(random) * 1e-3f : normal(random) * 5;
    const double s = 1 / (1 + std::exp(-double{x}));
    const auto near = [](double a, double b) { return std::fabs(a - b) <= 2e-15 * std::fabs(b); };
    ASSERT_TRUE(near(tanh.run({{x}}).reference[0], std::tanh(double{x}))) << x;
    ASSERT_TRUE(near(sigmoid.run({{x}}).reference[0], s)) << x;
    ASSERT_TRUE(near(silu.run({{x}}).reference[0], x * s)) << x;
    ASSERT_TRUE(near(elu.run({{x}}).reference[0], x > 0 ? x : std::expm1(double{x}))) << x;
  }
}

TEST(Activations, ErrorOfTheOperandEntersByTheSlope) {
  for (const Op op : {Op::tanh, Op::sigmoid, Op::silu, Op::gelu_erf, Op::gelu_tanh, Op::softplus}) {
    Bench b, alone;
    const double with = after_product(b, op, 0.3f, 0.9f).sound[0];
    make_activation(alone, op);
    const double rounding = alone.run({{0.3f * 0.9f}}).sound[0];
    const double slope =
        (alone.run({{0.2701f}}).reference[0] - alone.run({{0.2699f}}).reference[0]) / 2e-4;
    EXPECT_NEAR((with - rounding) / (0x1p-24 * 0.27 * slope), 1, 0.02) << name(op);
  }
}

// d relu(z) / dz at many z through vjp, the mask as the network has it.
Network slope_of(Op op, float alpha) {
  Network n;
  n.output(n.derivative(op, n.input(1), alpha));
  return n;
}

TEST(Kinks, AreUndecidedOnlyWithinTheError) {
  Bench b{slope_of(Op::relu, 0), {}, {}};
  const OutputBounds y = b.run({{1, -1, 0, 0x1p-149f}});
  EXPECT_EQ(b.analysis.undecided_kinks(), 1u);
  EXPECT_EQ(y.reference[0], 1);
  EXPECT_EQ(y.reference[1], 0);
  EXPECT_EQ(y.sound[0], 0);
  EXPECT_GE(y.sound[2], 1);
  EXPECT_LE(y.sound[2], 1.001);
  EXPECT_EQ(y.sound[3], 0);
}

TEST(Kinks, SpanBothSlopesOfALeakyRelu) {
  Bench b{slope_of(Op::leaky_relu, 0.25f), {}, {}};
  EXPECT_NEAR(b.run({{0}}).sound[0], 0.75, 1e-6);
  Bench elu{slope_of(Op::elu, 2), {}, {}};
  EXPECT_NEAR(elu.run({{0}}).sound[0], 1, 1e-5);
  Bench smooth{slope_of(Op::elu, 1), {}, {}};
  EXPECT_LT(smooth.run({{0}}).sound[0], 1e-5);
  EXPECT_EQ(smooth.analysis.undecided_kinks(), 0u);
}

TEST(Kinks, FollowTheObservedMaskWhereTheyAreUndecided) {
  Bench b;
  const NodeId z = b.network.linear(b.network.input(2), b.parameter(1, 2, {0.1f, 0.3f}));
  b.network.output(b.network.derivative(Op::relu, z, 0));
  const std::vector<float> x = {3, -0.99999994f};
  b.run({x});
  EXPECT_EQ(b.analysis.undecided_kinks(), 1u);
  for (const float seen : {1e-9f, -1e-9f}) {
    const std::vector<ObservedKinks> observed = {{z, {&seen, 1}}};
    const OutputBounds y = b.run({x}, {}, observed);
    EXPECT_EQ(y.reference[0], seen > 0 ? 1 : 0);
    EXPECT_EQ(y.judgement[0], Judgement::exact);
    EXPECT_EQ(b.analysis.undecided_kinks(), 0u);
    EXPECT_EQ(b.analysis.contradicted_kinks(), 0u);
  }
  const float tie = 0;
  const std::vector<ObservedKinks> observed = {{z, {&tie, 1}}};
  EXPECT_GE(b.run({x}, {}, observed).sound[0], 1);
  EXPECT_EQ(b.analysis.undecided_kinks(), 1u);
}

TEST(Kinks, OnTheWrongSideOfADecidedZeroAreContradicted) {
  Bench b{slope_of(Op::relu, 0), {}, {}};
  for (const float seen : {-1e-9f, 0.0f}) {
    const std::vector<ObservedKinks> observed = {{b.network.inputs()[0], {&seen, 1}}};
    EXPECT_EQ(b.run({{1}}, {}, observed).reference[0], 1);
    EXPECT_EQ(b.analysis.contradicted_kinks(), 1u);
  }
}

TEST(Kinks, ThatFlipTogetherAreNotAveragedByTheProbabilisticTier) {
  Bench b;
  b.network.output(b.network.batch_sum(b.network.derivative(Op::relu, b.network.input(1), 0)));
  const OutputBounds y = b.run({std::vector<float>(64, 0)});
  EXPECT_GE(lambda(1) * y.sigma[0], 64);
  EXPECT_GE(y.sound[0], 64);
  EXPECT_LE(y.sound[0], 64.01);
}

TEST(Softmax, RadiusIsTheCornerOfTheBox) {
  // Logits 0 and 0 with radius ln 2 on each reach 2 / (2 + 1/2) = 0.8. Both weights round to 88.5
  // in bf16, which makes a radius of about that size: the corner of the one that resulted is
  // checked.
  Bench b;
  const NodeId x = b.network.input(2);
  Arithmetic narrow;
  narrow.operand = Format::bf16;
  const NodeId w = b.parameter(2, 2, {88.74f, -88.26f, 88.74f, -88.26f});
  const NodeId z = b.network.linear(x, w);
  b.network.output(z);
  b.network.output(b.network.softmax(z));
  b.run({{1, 1}}, narrow);
  const double e = b.analysis.output(0).sound[0];
  ASSERT_GT(e, 0.3);
  const double corner = std::exp(e) / (std::exp(e) + std::exp(-e));
  const OutputBounds y = b.analysis.output(1);
  EXPECT_NEAR(y.reference[0] + y.sound[0], corner, 1e-5);
  EXPECT_NEAR(std::exp(std::log(2.0)) / (2 + 0.5), 0.8, 1e-15);
}

}  // namespace
}  // namespace ulpfuzz::bounds
