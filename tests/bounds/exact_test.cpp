#include <gtest/gtest.h>

#include <random>

#include "../../bounds/grid.hpp"
#include "bounds/network_support.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Bench;

std::vector<float> integers(std::size_t n, std::uint64_t seed, float unit = 1) {
  std::mt19937_64 random(seed);
  std::vector<float> v(n);
  for (float& f : v) f = unit * (static_cast<float>(random() % 17) - 8);
  return v;
}

TEST(Grid, IsTheLowestBitOfAllValues) {
  const std::vector<float> v = {3, -0.5f, 0, 12};
  EXPECT_EQ(grid_of(v.data(), v.size()), -1);
  const std::vector<float> zeros = {0, -0.0f};
  EXPECT_EQ(grid_of(zeros.data(), 2), any_grid);
  const std::vector<float> subnormal = {0x1p-149f, 0x1p-147f};
  EXPECT_EQ(grid_of(subnormal.data(), 2), -149);
}

TEST(Grid, IsNoneForValuesThatTakeTooManyBits) {
  const std::vector<float> random = {0.1f, 0.7f};
  const std::vector<float> spread = {0x1p20f, 0x1p-10f};
  const std::vector<float> infinite = {1, std::numeric_limits<float>::infinity()};
  for (const auto& v : {random, spread, infinite}) EXPECT_EQ(grid_of(v.data(), 2), no_grid);
}

TEST(Grid, FitsWhileSumsStayBelowThePrecision) {
  EXPECT_TRUE(fits_grid(0, 0x1p24 - 1, 24, -149));
  EXPECT_FALSE(fits_grid(0, 0x1p24, 24, -149));
  EXPECT_FALSE(fits_grid(-150, 0x1p-149, 24, -149));
  EXPECT_FALSE(fits_grid(no_grid, 0, 24, -149));
  EXPECT_TRUE(fits_grid(any_grid, 0, 24, -149));
}

void make_net(Bench& b, float unit) {
  const NodeId x = b.network.input(5);
  const NodeId w1 = b.parameter(7, 5, integers(35, 1, unit));
  const NodeId b1 = b.parameter(1, 7, integers(7, 2, unit));
  const NodeId h = b.network.activation(Op::relu, b.network.linear(x, w1, b1));
  const NodeId w2 = b.parameter(5, 7, integers(35, 3, unit));
  b.network.output(b.network.add(b.network.linear(h, w2), x));
}

TEST(Exact, SmallIntegersAndPowersOfTwoRoundNowhere) {
  for (const float unit : {1.0f, 0x1p-20f, 0x1p20f}) {
    Bench b;
    make_net(b, 1);
    const OutputBounds y = b.run({integers(15, 4, unit)});
    // One more unit beside the biases is off the grid of the inputs, unless both are coarse.
    const Judgement expected = unit == 1 ? Judgement::exact : Judgement::usable;
    EXPECT_EQ(y.judgement[0], expected) << unit;
    EXPECT_EQ(y.sound[0] == 0, unit == 1);
  }
}

TEST(Exact, GradientsOfIntegersAreExactToo) {
  Bench b;
  make_net(b, 1);
  Bench g{vjp(b.network, 5), b.parameters, {}};
  std::vector<float> cotangents(5 * 5, 0);
  for (std::size_t i = 0; i < 5; ++i) cotangents[i * 6] = 1;
  std::vector<float> x = integers(5, 9);
  x[0] = 3;
  g.run(1, {x, cotangents});
  ASSERT_EQ(g.analysis.undecided_kinks(), 0u);
  for (std::size_t o = 0; o < g.network.outputs().size(); ++o)
    for (const Judgement j : g.analysis.output(o).judgement) EXPECT_EQ(j, Judgement::exact);
}

TEST(Exact, EndsWhereTheSumNeedsATwentyFifthBit) {
  Bench b;
  testing::make_dot(b, {1, 1});
  EXPECT_EQ(b.run({{0x1p22f, 1}}).judgement[0], Judgement::usable);
  EXPECT_EQ(b.run({{0x1p21f, 1}}).judgement[0], Judgement::exact);
  Bench c;
  testing::make_dot(c, {0x1p12f, 1});
  EXPECT_EQ(c.run({{0x1p11f, 1}}).judgement[0], Judgement::exact);
  EXPECT_EQ(c.run({{0x1p12f, 1}}).judgement[0], Judgement::usable);
}

TEST(Exact, SurvivesConversionOnlyOfValuesThatFit) {
  Bench b;
  testing::make_dot(b, {1, 3});
  Arithmetic half;
  half.operand = Format::fp16;
  EXPECT_EQ(b.run({{2048, 5}}, half).judgement[0], Judgement::usable);
  EXPECT_EQ(b.run({{2040, 8}}, half).judgement[0], Judgement::exact);
}

TEST(Exact, EndsWhereAPartialSumNeedsMoreBitsThanItsFormatHas) {
  Bench b;
  testing::make_dot(b, {1, 1, 1, 1});
  Arithmetic split;
  split.partials = 2;
  split.partial = Format::bf16;
  EXPECT_EQ(b.run({{100, 50, 25, 80}}, split).judgement[0], Judgement::exact);
  const OutputBounds y = b.run({{100, 51, 25, 81}}, split);
  EXPECT_EQ(y.judgement[0], Judgement::usable);
  EXPECT_GE(y.sound[0], 1);
  EXPECT_LE(y.sound[0], 1.01 * 257 * 0x1p-8);
}

TEST(Exact, HoldsAlsoForWiderAccumulationAndAnFp32Store) {
  Bench b;
  testing::make_dot(b, {1, 3});
  Arithmetic wide;
  wide.accumulate = Format::fp64;
  EXPECT_EQ(b.run({{7, 5}}, wide).judgement[0], Judgement::exact);
  const OutputBounds y = b.run({{0.1f, 0.7f}}, wide);
  EXPECT_EQ(y.judgement[0], Judgement::usable);
  EXPECT_NEAR(y.sound[0] / (0x1p-24 * y.reference[0]), 1, 1e-4);
}

}  // namespace
}  // namespace ulpfuzz::bounds
