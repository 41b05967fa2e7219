#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe_subjects.hpp"
#include "reveal.hpp"
#include "sum_arithmetic.hpp"

namespace ulpfuzz::probe {
namespace {

SumArithmetic measured(const Arithmetic& a, std::size_t k = 16,
                       SumKind kind = SumKind::linear_bias) {
  const Emulated subject("emulated", with(a));
  Site site(subject, {.kind = kind, .k = k, .batch = 2});
  const SumTree tree = reveal(site, 7);
  return measure(site, tree, 5);
}

TEST(Operands, OfFp32AreTakenAsTheyAre) {
  const SumArithmetic found = measured({});
  EXPECT_TRUE(found.left.exact() && found.right.exact());
  EXPECT_TRUE(found.products_round_once);
  EXPECT_EQ(found.split, Split::none);
}

TEST(Operands, AreToldByFormatAndRounding) {
  for (const Format format : {Format::tf32, Format::bf16, Format::fp16})
    for (const Rounding rounding :
         {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero}) {
      Arithmetic a;
      a.operand = format;
      a.conversion = rounding;
      for (const bool unit : {false, true}) {
        a.unit = unit ? matmul_units::ampere_half : MatmulUnit{};
        const SumArithmetic found = measured(a);
        EXPECT_EQ(found.left.format, format) << traits(format).name;
        EXPECT_EQ(found.left.roundings, std::vector<Rounding>{rounding}) << traits(format).name;
        EXPECT_EQ(found.left, found.right);
        EXPECT_EQ(found.split, Split::none);
      }
    }
}

TEST(Operands, AreToldThroughNarrowSums) {
  for (const Format sums : {Format::bf16, Format::fp16})
    for (const Format format : {Format::fp32, Format::bf16, Format::fp16}) {
      Arithmetic a;
      a.operand = format;
      a.accumulate = sums;
      const SumArithmetic found = measured(a);
      EXPECT_EQ(found.left.format, format) << traits(sums).name << " " << traits(format).name;
      EXPECT_EQ(found.right.format, format);
      EXPECT_TRUE(found.products_round_once);
    }
}

TEST(Operands, InPiecesAreToldByTheProductsThatAreLeftOut) {
  for (const Split split : {Split::bf16x3, Split::bf16x6, Split::bf16x9, Split::tf32x3}) {
    Arithmetic a;
    a.split = split;
    for (const Summation::Order order : {Summation::Order::sequential, Summation::Order::lanes}) {
      Emulation e = with(a);
      e.summation.order = order;
      const Emulated subject("emulated", e);
      Site site(subject, {.k = 16});
      EXPECT_EQ(measure(site, reveal(site, 7), 5).split, split) << static_cast<int>(split);
    }
  }
}

TEST(Sums, AreToldByTheBitsTheyKeep) {
  for (const Format format : {Format::fp64, Format::fp32, Format::fp16, Format::bf16}) {
    Arithmetic a;
    a.accumulate = format;
    const SumArithmetic found = measured(a);
    EXPECT_EQ(found.sum_bits, traits(format).precision);
    EXPECT_EQ(found.sum_rounding, Direction::nearest_even);
    EXPECT_EQ(found.result_bits, std::min(24, traits(format).precision));
    EXPECT_EQ(found.unit.block, 0u);
  }
}

TEST(Sums, OfAUnitAreToldByBlockFractionBitsAndTruncation) {
  for (const MatmulUnit unit : {MatmulUnit{4, 24}, MatmulUnit{8, 24}, MatmulUnit{8, 25},
                                MatmulUnit{16, 25}, MatmulUnit{4, 23}})
    for (const Format operand : {Format::tf32, Format::fp16, Format::bf16}) {
      Arithmetic a;
      a.operand = operand;
      a.unit = unit;
      const SumArithmetic found = measured(a, 32);
      EXPECT_EQ(found.unit, unit) << found.unit.block << " " << found.unit.fraction;
      EXPECT_EQ(found.unit_rounding, Direction::toward_zero);
    }
}

TEST(Sums, ThatArePartialAreToldWhereTheyAreRounded) {
  for (const Format format : {Format::bf16, Format::fp16})
    for (const std::uint32_t parts : {2u, 4u}) {
      Arithmetic a;
      a.partials = parts;
      a.partial = format;
      const SumArithmetic found = measured(a);
      EXPECT_EQ(found.partials, parts);
      EXPECT_EQ(found.partial_bits, traits(format).precision);
      EXPECT_EQ(found.sum_bits, 24);
    }
  EXPECT_EQ(measured({}).partials, 0u);
}

TEST(Results, ThatAreStoredNarrowlyAreTold) {
  for (const Format format : {Format::bf16, Format::fp16}) {
    Arithmetic a;
    a.keep = format;
    const SumArithmetic found = measured(a);
    EXPECT_EQ(found.result_bits, traits(format).precision);
    EXPECT_EQ(found.sum_bits, 24);
  }
}

TEST(Sums, ThatTruncateOrRoundAwayAreTold) {
  for (const Direction direction :
       {Direction::toward_zero, Direction::nearest_away, Direction::up, Direction::down}) {
    const WithLinear subject([=](const float* x, const float* w, const float*, std::size_t rows,
                                 std::size_t k, std::size_t n, float* y) {
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < n; ++j) {
          double sum = 0;
          for (std::size_t i = 0; i < k; ++i)
            sum = round_bits(sum + double{x[r * k + i]} * w[j * k + i], 24, direction);
          y[r * n + j] = static_cast<float>(sum);
        }
    });
    Site site(subject, {.k = 8});
    EXPECT_EQ(measure(site, reveal(site, 1), 1).sum_rounding, direction) << describe(direction);
  }
}

Fusion fusion_of(const Emulation& e, std::size_t k) {
  const Emulated subject("emulated", e);
  Site site(subject, {.kind = SumKind::linear_bias, .k = k});
  return measure(site, reveal(site, 1), 1).fusion;
}

TEST(Products, AreToldToBeFusedOrNot) {
  using Order = Summation::Order;
  for (const Order order : {Order::sequential, Order::reversed, Order::pairwise, Order::lanes}) {
    EXPECT_EQ(fusion_of(with_order(order, 4, false), 16), Fusion::separate);
    EXPECT_EQ(fusion_of(with_order(order, 4, true), 16), Fusion::fused);
  }
  // One term an accumulator, the first of which starts at the bias.
  EXPECT_EQ(fusion_of(with_order(Order::lanes, 8, true, true), 8), Fusion::mixed);
  Arithmetic exact;
  exact.operand = Format::bf16;
  EXPECT_EQ(fusion_of(with(exact), 8), Fusion::exact);
}

TEST(Depth, CountsTheRoundingsOnTheLongestWay) {
  EXPECT_EQ(measured({}, 16, SumKind::linear).depth, 16u);  // 15 sums and a product
  EXPECT_EQ(measured({}, 16, SumKind::sum_rows).depth, 15u);
  const Emulated fused("emulated", with_order(Summation::Order::pairwise, 1, true));
  Site site(fused, {.k = 16});
  // The first product of a pair is rounded, then four sums follow.
  EXPECT_EQ(measure(site, reveal(site, 1), 1).depth, 5u);
}

TEST(RoundBits, RoundsAsStated) {
  EXPECT_EQ(round_bits(1 + 0x1p-24, 24, Direction::nearest_even), 1);
  EXPECT_EQ(round_bits(1 + 0x1p-24, 24, Direction::nearest_away), 1 + 0x1p-23);
  EXPECT_EQ(round_bits(1 + 0x1.8p-24, 24, Direction::nearest_even), 1 + 0x1p-23);
  EXPECT_EQ(round_bits(-1 - 0x1.8p-24, 24, Direction::toward_zero), -1);
  EXPECT_EQ(round_bits(-1 - 0x1p-30, 24, Direction::down), -1 - 0x1p-23);
  EXPECT_EQ(round_bits(1 + 0x1p-30, 24, Direction::up), 1 + 0x1p-23);
  EXPECT_EQ(round_bits(0, 24, Direction::up), 0);
}

}  // namespace
}  // namespace ulpfuzz::probe
