#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bounds/network_support.hpp"
#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Bench;
using testing::make_activation;
using testing::make_dot;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Judgement dot_of(const std::vector<float>& w, const std::vector<float>& x) {
  Bench b;
  make_dot(b, w);
  return b.run({x}).judgement[0];
}

TEST(Range, SumsThatMayOverflowInSomeOrderAreRange) {
  EXPECT_EQ(dot_of({1, 1, 1}, {2e38f, 2e38f, -2e38f}), Judgement::range);
  EXPECT_EQ(dot_of({1, 1, 1}, {1e38f, 1e38f, -1e38f}), Judgement::usable);
}

TEST(Range, SumsThatMayReachBothInfinitiesHaveNoBound) {
  EXPECT_EQ(dot_of({1, 1, 1, 1}, {3e38f, 3e38f, -3e38f, -3e38f}), Judgement::no_bound);
}

TEST(Range, CertainOverflowIsAnInfinity) {
  Bench b;
  make_dot(b, {1, 1});
  const OutputBounds y = b.run({{3e38f, 3e38f, -3e38f, -3e38f}});
  EXPECT_EQ(y.judgement[0], Judgement::nonfinite);
  EXPECT_EQ(y.reference[0], inf);
  EXPECT_EQ(y.reference[1], -inf);
}

TEST(Range, IsGoneAfterOneMoreOp) {
  Bench b;
  const NodeId x = b.network.input(3);
  const NodeId h = b.network.linear(x, b.parameter(1, 3, {1, 1, 1}));
  b.network.output(b.network.activation(Op::tanh, h));
  EXPECT_EQ(b.run({{2e38f, 2e38f, -2e38f}}).judgement[0], Judgement::no_bound);
}

TEST(Range, PartialSumsOverflowWhereTheirFormatDoes) {
  Arithmetic split;
  split.partials = 2;
  split.partial = Format::fp16;
  Bench b;
  make_dot(b, {1, 1, 1});
  const auto judged = [&](std::vector<float> x, const Arithmetic& a) {
    return b.run({std::move(x)}, a).judgement[0];
  };
  EXPECT_EQ(round_to(65519, Format::fp16), 65504);
  EXPECT_EQ(round_to(65520, Format::fp16), inf);
  EXPECT_EQ(judged({40000.1f, 40000.1f, -40000.1f}, split), Judgement::range);
  EXPECT_EQ(judged({20000.1f, 20000.1f, -20000.1f}, split), Judgement::usable);
  EXPECT_EQ(judged({40000.1f, 40000.1f, -40000.1f}, {}), Judgement::usable);
  split.partial = Format::bf16;
  EXPECT_EQ(judged({40000.1f, 40000.1f, -40000.1f}, split), Judgement::usable);
}

TEST(Nonfinite, InfinityOfOneSignStaysInASum) {
  Bench b;
  make_dot(b, {2, 1, -1});
  const OutputBounds y = b.run({{inf, 1, 1, 1, 1, inf}});
  EXPECT_EQ(y.judgement[0], Judgement::nonfinite);
  EXPECT_EQ(y.reference[0], inf);
  EXPECT_EQ(y.reference[1], -inf);
}

TEST(Nonfinite, OppositeInfinitiesAndNanAreNan) {
  Bench b;
  make_dot(b, {2, 1, -1});
  const OutputBounds y = b.run({{inf, 1, inf, nan, 1, 1}});
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(y.judgement[i], Judgement::nonfinite);
    EXPECT_TRUE(std::isnan(y.reference[i]));
  }
}

TEST(Nonfinite, ZeroTimesInfinityIsLeftOpen) {
  EXPECT_EQ(dot_of({0, 1}, {inf, 1}), Judgement::no_bound);
  EXPECT_EQ(dot_of({0, 1}, {nan, 1}), Judgement::no_bound);
}

TEST(Nonfinite, InfinityBesideAnOverflowingSumIsLeftOpen) {
  EXPECT_EQ(dot_of({1, 1, 1}, {inf, -3e38f, -3e38f}), Judgement::no_bound);
  EXPECT_EQ(dot_of({1, 1, 1}, {inf, 3e38f, 3e38f}), Judgement::nonfinite);
}

TEST(Nonfinite, OtherRowsOfTheBatchKeepTheirBounds) {
  Bench b;
  make_dot(b, {0.3f, 0.7f});
  const OutputBounds y = b.run({{0.1f, 0.2f, nan, 1, 0.1f, 0.2f}});
  EXPECT_EQ(y.judgement[0], Judgement::usable);
  EXPECT_EQ(y.judgement[1], Judgement::nonfinite);
  EXPECT_EQ(y.judgement[2], Judgement::usable);
  EXPECT_EQ(y.sound[0], y.sound[2]);
}

TEST(Nonfinite, OnlyPositiveInfinityPassesThroughAnActivation) {
  for (const Op op : {Op::relu, Op::leaky_relu}) {
    Bench b;
    make_activation(b, op, 0.5f);
    const OutputBounds y = b.run({{inf, -inf, nan, 1}});
    EXPECT_EQ(y.judgement[0], Judgement::nonfinite);
    EXPECT_EQ(y.judgement[1], Judgement::no_bound);
    EXPECT_EQ(y.judgement[2], Judgement::no_bound);
    EXPECT_LE(y.judgement[3], Judgement::exact);
  }
  Bench b;
  make_activation(b, Op::tanh);
  EXPECT_EQ(b.run({{inf}}).judgement[0], Judgement::no_bound);
}

TEST(Nonfinite, RowsOfSoftmaxAndNormsHaveNoBound) {
  for (const Op op : {Op::softmax, Op::layer_norm, Op::rms_norm}) {
    Bench b;
    const NodeId x = b.network.input(3);
    b.network.output(op == Op::softmax      ? b.network.softmax(x)
                     : op == Op::layer_norm ? b.network.layer_norm(x)
                                            : b.network.rms_norm(x));
    const OutputBounds y = b.run({{0.1f, inf, 1, 0.1f, 2, 1}});
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(y.judgement[i], Judgement::no_bound);
    for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(y.judgement[i], Judgement::usable);
  }
}

TEST(NoBound, IsTheVerdictOnAVarianceThatIsAllError) {
  Bench b;
  b.network.output(b.network.layer_norm(b.network.input(4), 1e-12f));
  const OutputBounds y = b.run({{1000, 1000.001f, 999.999f, 1000, 1, 2, 3, 4}});
  EXPECT_EQ(y.judgement[0], Judgement::no_bound);
  EXPECT_EQ(y.judgement[4], Judgement::usable);
}

TEST(Range, OperandsBeyondTheHalfFormatHaveNoBound) {
  Bench b;
  make_dot(b, {1, 1});
  Arithmetic half;
  half.operand = Format::fp16;
  EXPECT_EQ(b.run({{65519, 0.1f}}, half).judgement[0], Judgement::no_bound);
  EXPECT_EQ(b.run({{65500, 0.1f}}, half).judgement[0], Judgement::usable);
}

TEST(Range, AStoreInANarrowFormatOverflowsEarlier) {
  Bench b;
  make_dot(b, {1, 1});
  Arithmetic a;
  a.store = Format::fp16;
  const OutputBounds y = b.run({{60000, 0.1f, 60000, 60000, 65519, 0.5f}}, a);
  EXPECT_EQ(y.judgement[0], Judgement::usable);
  EXPECT_EQ(y.judgement[1], Judgement::nonfinite);
  EXPECT_EQ(y.reference[1], inf);
  EXPECT_EQ(y.judgement[2], Judgement::range);
}

}  // namespace
}  // namespace ulpfuzz::bounds
