#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "kernels/unit_case.hpp"
#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::kernels {
namespace {

using unit_case::Generation;
using unit_case::generations;

// x.w by the unit: one row times one column.
float unit_dot(MatmulUnit unit, Format operand, const std::vector<float>& x,
               const std::vector<float>& w) {
  float y = unit_case::guard;
  UnitGemm gemm;
  gemm.unit = unit;
  gemm.operand = operand;
  gemm.conversion = Rounding::nearest_even;
  Product& p = gemm.product;
  p.m = p.n = 1;
  p.k = x.size();
  p.a = x.data();
  p.a_step = 1;
  p.b = w.data();
  p.b_step = 1;
  p.y = &y;
  make_host_device()->launch(gemm, nullptr);
  return y;
}

// Four products p, added to 1, which the block before them left in the accumulator.
float probe(int fraction, float p) {
  return unit_dot({4, fraction}, Format::tf32, {1, 0, 0, 0, p, p, p, p}, {1, 0, 0, 0, 1, 1, 1, 1});
}

TEST(UnitGemm, ShowsTheFractionOfItsAccumulatorByProductsNextToOne) {
  EXPECT_EQ(probe(24, 0x1p-24f), 1 + 0x1p-22f);
  EXPECT_EQ(probe(23, 0x1p-24f), 1);
  EXPECT_EQ(probe(24, 0x1p-25f), 1);
  EXPECT_EQ(probe(25, 0x1p-25f), 1 + 0x1p-23f);
}

TEST(UnitGemm, KeepsWhatFusedAdditionsInFp32Lose) {
  float sum = 1;
  for (int i = 0; i < 4; ++i) sum = std::fma(0x1p-24f, 1.0f, sum);
  EXPECT_EQ(sum, 1);
  EXPECT_EQ(probe(24, 0x1p-24f), 1 + 0x1p-22f);
}

TEST(UnitGemm, CutsTheSumOfABlockTowardZero) {
  const std::vector<float> x{1, 0, 0, 0, 0x1p-23f, -0x1p-24f}, w(6, 1.0f);
  EXPECT_EQ(unit_dot({4, 24}, Format::tf32, x, w), 1);
  EXPECT_EQ(unit_dot({4, 24}, Format::tf32, {-1, 0, 0, 0, -0x1p-23f, 0x1p-24f}, w), -1);
  EXPECT_EQ(unit_dot({4, 24}, Format::tf32, {1, 0, 0, 0, 0x1p-23f, 0x1p-24f}, w), 1 + 0x1p-23f);
  EXPECT_EQ((1 + 0x1p-23f) + 0x1p-24f, 1 + 0x1p-22f);  // what rounding to nearest gives
}

TEST(UnitGemm, DoesNotAlignToZerosTimesLargeNumbers) {
  EXPECT_EQ(unit_dot({4, 24}, Format::bf16, {0, 0x1p-60f}, {0x1p127f, 0x1p-60f}), 0x1p-120f);
}

TEST(UnitGemm, StaysInfiniteOnceTheSumOfABlockWasTooLarge) {
  const std::vector<float> x{0x1p127f, 0x1p127f, 0, 0, -0x1p127f, -0x1p127f}, w(6, 1.0f);
  EXPECT_EQ(unit_dot({4, 24}, Format::tf32, x, w), INFINITY);
  EXPECT_EQ(unit_dot({8, 25}, Format::tf32, x, w), 0);  // all in one block
}

TEST(UnitGemm, AddsTheLargestProductsThatABlockCanHold) {
  const float most = 2 - 0x1p-10f;
  for (const MatmulUnit unit : {matmul_units::hopper_half, matmul_units::ampere_half}) {
    std::vector<float> x(2 * unit.block, most), w = x;
    std::fill_n(w.begin() + 1, unit.block - 1, 0.0f);
    w[0] = 1;  // the first block leaves the largest accumulator that does not align the second
    Arithmetic a;
    a.operand = Format::fp16;
    a.unit = unit;
    naive_emulation::UnitSum naive(a);
    naive.take(x, w);
    const auto expected = static_cast<float>(naive.unit(nullptr, 0, x.size()));
    EXPECT_EQ(unit_dot(unit, Format::fp16, x, w), expected);
    EXPECT_NEAR(expected, most + static_cast<float>(unit.block) * most * most, 1e-4);
  }
}

// k of |error| <= k u32 S (1 + k u32), S = sum |x w|, of n products.
double roundings_of(MatmulUnit unit, std::size_t n) {
  const double blocks = std::ceil(static_cast<double>(n) / unit.block);
  return (static_cast<double>(n) + blocks) * std::ldexp(1.0, 24 - unit.fraction) + 2 * blocks;
}

TEST(UnitGemm, ErrsByRoundingsThatGrowWithTheLengthOfTheSum) {
  const auto slope = [](MatmulUnit unit) { return roundings_of(unit, 4096) / 4096; };
  EXPECT_EQ(slope({4, 24}), 1.75);
  EXPECT_EQ(slope({8, 24}), 1.375);
  EXPECT_EQ(slope({8, 25}), 0.8125);
  EXPECT_EQ(slope({16, 25}), 0.65625);
  EXPECT_EQ(slope({4, 23}), 3);
  EXPECT_EQ(roundings_of({4, 24}, 2), 5);
  EXPECT_EQ(roundings_of({4, 24}, 10), 19);
}

struct UnitTerms {
  std::vector<float> x, w;

  // The error as a share of its bound.
  double share(MatmulUnit unit, Format operand) const {
    long double exact = 0, size = 0;  // of products of 22 bits, next to each other: exact
    for (std::size_t i = 0; i < x.size(); ++i) {
      exact += static_cast<long double>(x[i]) * w[i];
      size += std::fabs(static_cast<long double>(x[i]) * w[i]);
    }
    const double k = roundings_of(unit, x.size()) * unit_roundoff_fp32;
    return static_cast<double>(std::fabs(unit_dot(unit, operand, x, w) - exact) /
                               (size * k * (1 + k)));
  }
};

// 1, and then products that are lost next to it: just below the last bit that the unit keeps.
UnitTerms lost_terms(MatmulUnit unit, Format operand, std::size_t n) {
  const double most = 2 - 2 * traits(operand).unit_roundoff();
  UnitTerms t{std::vector<float>(n, std::ldexp(1.0f, -(unit.fraction + 1) / 2)),
              std::vector<float>(n, static_cast<float>(std::ldexp(most, -unit.fraction / 2 - 1)))};
  t.x[0] = t.w[0] = 1;
  return t;
}

// Changes one term after the other and keeps what errs more.
double climb(MatmulUnit unit, Format operand, std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(1, 2);
  const auto draw = [&] {
    const double size = std::ldexp(uniform(random), -static_cast<int>(random() % 13));
    return static_cast<float>(round_to(random() % 4 == 0 ? -size : size, operand));
  };
  UnitTerms best{std::vector<float>(n), std::vector<float>(n)};
  for (float& v : best.x) v = draw();
  for (float& v : best.w) v = draw();
  double most = best.share(unit, operand);
  for (int step = 0; step < 3000; ++step) {
    UnitTerms next = best;
    (random() % 2 ? next.x : next.w)[random() % n] = draw();
    const double share = next.share(unit, operand);
    if (share >= most) best = next, most = share;
  }
  return most;
}

class UnitErrors : public ::testing::TestWithParam<Generation> {};

TEST_P(UnitErrors, NeverExceedTheirBoundAndComeUpToHalfOfItWhereEveryTermIsLost) {
  const auto& [name, unit, operand] = GetParam();
  for (const std::size_t n : {2u, 9u, 10u, 33u, 257u, 4097u}) {
    const double share = lost_terms(unit, operand, n).share(unit, operand);
    EXPECT_LE(share, 1) << n;
    EXPECT_GE(share, n >= 257 ? 0.5 : 0) << n;
  }
}

TEST_P(UnitErrors, NeverExceedTheirBoundWhereASearchMakesThemLarge) {
  const auto& [name, unit, operand] = GetParam();
  for (const std::size_t n : {2u, 4u, 10u, 17u}) {
    double most = 0;
    for (unsigned seed = 0; seed < 3; ++seed) most = std::max(most, climb(unit, operand, n, seed));
    EXPECT_LE(most, 1) << n;
    EXPECT_GE(most, n == 2 ? 0.2 : 0.4) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(All, UnitErrors, ::testing::ValuesIn(generations),
                         [](const auto& i) { return std::string(i.param.name); });

}  // namespace
}  // namespace ulpfuzz::kernels
