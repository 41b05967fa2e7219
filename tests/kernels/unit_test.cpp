#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/shuffled_block.hpp"
#include "kernels/unit_case.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/kernels/device.hpp"
#include "ulpfuzz/kernels/unit_programs.hpp"

namespace ulpfuzz::kernels {
namespace {

using unit_case::Case;
using unit_case::Data;
using unit_case::Draw;
using unit_case::Generation;
using unit_case::generations;

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::nearest_away,
                                  Rounding::toward_zero};

// Those of the hardware, and others.
std::vector<Generation> all_units() {
  std::vector<Generation> all(std::begin(generations), std::end(generations));
  all.push_back({"Fp32Operands", {2, 28}, Format::fp32});
  all.push_back({"OneByOne", {1, 20}, Format::tf32});
  return all;
}

UnitGemm unit_gemm(const Generation& g, Draw& draw) {
  UnitGemm gemm;
  gemm.unit = g.unit;
  gemm.operand = g.operand;
  gemm.conversion = draw.pick(roundings);
  gemm.flushes_subnormals = draw.below(3) == 0;
  const Phi functions[] = {Phi::identity, Phi::relu, Phi::tanh};
  gemm.product.phi = draw.pick(functions);
  return gemm;
}

bool same(float a, float b) { return same_bits(a, b) || (std::isnan(a) && std::isnan(b)); }

// Checks all elements, or some of many; how many of these were finite and not 0.
std::size_t compare(const Case& c) {
  const Product& p = c.gemm.product;
  std::size_t numbers = 0;
  const std::size_t elements = p.m * p.n, every = 1 + elements / 40;
  for (std::size_t e = 0; e < p.entries; ++e)
    for (std::size_t at = e % every; at < elements; at += every) {
      const float got = c.y[e * elements + at];
      const float expected = unit_case::expected(c, e, at / p.n, at % p.n);
      EXPECT_TRUE(same(got, expected))
          << std::hexfloat << got << " for " << expected << ", entry " << e << " row " << at / p.n
          << " column " << at % p.n << " of " << p.m << "x" << p.n << "x" << p.k << " block "
          << c.gemm.unit.block << " split " << int(c.gemm.split) << " flushes "
          << c.gemm.flushes_subnormals << " conversion " << int(c.gemm.conversion);
      numbers += std::isfinite(expected) && expected != 0;
    }
  EXPECT_TRUE(same_bits(c.y.back(), unit_case::guard));
  return numbers;
}

void run(Case& c, BlockOrder order = BlockOrder::ascending) {
  const auto device = make_host_device(order);
  std::vector<float> workspace(workspace_floats(c.gemm));
  device->launch(c.gemm, workspace.data());
}

// Cases of all three kinds of data; `change` sets what is tried of the launch.
template <class Change>
void compare_many(const Generation& g, unsigned seed, std::size_t count, const Change& change) {
  Draw draw(seed);
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    UnitGemm gemm = unit_gemm(g, draw);
    change(gemm, draw);
    Case c = unit_case::random_case(draw, gemm, static_cast<Data>(i % 3));
    run(c);
    numbers += compare(c);
    ASSERT_FALSE(testing::Test::HasFailure()) << "case " << i;
  }
  EXPECT_GT(numbers, count * 5);
}

class UnitGemms : public ::testing::TestWithParam<Generation> {};

TEST_P(UnitGemms, EqualTheNaiveEmulationBitForBit) {
  compare_many(GetParam(), 1, 90, [](UnitGemm&, Draw&) {});
}

TEST_P(UnitGemms, AddUpInFp16WhereAsked) {
  compare_many(GetParam(), 2, 60, [](UnitGemm& gemm, Draw&) { gemm.accumulate = Format::fp16; });
}

TEST_P(UnitGemms, AddTheProductsOfPiecesBlockByBlock) {
  compare_many(GetParam(), 3, 60, [](UnitGemm& gemm, Draw& draw) {
    const Split splits[] = {Split::bf16x3, Split::bf16x6, Split::bf16x9, Split::tf32x3};
    gemm.split = draw.pick(splits);
  });
}

TEST_P(UnitGemms, AddPartsOfKInTheirOrder) {
  compare_many(GetParam(), 4, 90, [](UnitGemm& gemm, Draw& draw) {
    const std::uint32_t parts = static_cast<std::uint32_t>(2 + draw.below(9));
    if (draw.below(2) == 0)
      gemm.parts.splits = parts;
    else
      gemm.parts.stream = parts;
    const Combination combinations[] = {Combination::ordered, Combination::atomic};
    gemm.parts.combination = draw.pick(combinations);
  });
}

INSTANTIATE_TEST_SUITE_P(All, UnitGemms, ::testing::ValuesIn(all_units()),
                         [](const auto& i) { return std::string(i.param.name); });

TEST(UnitGemm, DoesNotDependOnTheOrderOfThreadsNorOnWhatNobodyWrote) {
  Draw draw(5);
  for (int i = 0; i < 60; ++i) {
    UnitGemm gemm = unit_gemm(draw.pick(generations), draw);
    if (i % 3 == 1) gemm.parts.splits = 3;
    if (i % 3 == 2) gemm.parts.stream = 5;
    if (i % 4 == 1) gemm.split = Split::bf16x6;
    Case c = unit_case::random_case(draw, gemm, static_cast<Data>(i % 2));
    run(c);
    const std::vector<float> usual = c.y;
    for (const ThreadOrder order : {ThreadOrder::reversed, ThreadOrder::random}) {
      c.point();
      std::vector<float> workspace(workspace_floats(c.gemm), NAN);
      with_programs(c.gemm, workspace.data(), ShuffledRun(order, true));
      for (std::size_t at = 0; at < usual.size(); ++at)
        ASSERT_TRUE(same(usual[at], c.y[at])) << at << " of " << usual.size() << ", case " << i;
    }
  }
}

TEST(UnitGemm, GivesTheBiasWhereThereAreNoProducts) {
  Case c;
  c.gemm.product.m = 2;
  c.gemm.product.n = 3;
  c.gemm.product.phi = Phi::relu;
  c.bias = {1, -2, 3};
  c.point();
  run(c);
  EXPECT_EQ(c.y, (std::vector<float>{1, 0, 3, 1, 0, 3, unit_case::guard}));
}

TEST(UnitGemm, RefusesUnitsThatItDoesNotEmulate) {
  const auto refuses = [](auto change) {
    Case c;
    c.gemm.product.m = c.gemm.product.n = 1;
    c.point();
    change(c.gemm);
    EXPECT_THROW(workspace_floats(c.gemm), std::invalid_argument);
    EXPECT_THROW(make_host_device()->launch(c.gemm, nullptr), std::invalid_argument);
  };
  refuses([](UnitGemm& g) { g.unit.block = 0; });
  refuses([](UnitGemm& g) { g.unit.block = 32; });
  refuses([](UnitGemm& g) { g.unit.block = 3; });
  refuses([](UnitGemm& g) { g.unit.fraction = 0; });
  refuses([](UnitGemm& g) { g.unit.fraction = 29; });
  refuses([](UnitGemm& g) { g.accumulate = Format::bf16; });
}

}  // namespace
}  // namespace ulpfuzz::kernels
