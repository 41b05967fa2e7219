#include <gtest/gtest.h>

#include <limits>

#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/core/ulp.hpp"

/// Facts of floating-point numbers that the theory rests on, by their numbers in docs/facts.md.
namespace ulpfuzz {
namespace {

using Limits = std::numeric_limits<float>;

TEST(Facts, F01_DistancesCountFloatsAcrossZerosBinadesAndInfinity) {
  EXPECT_EQ(ulp_distance(1, 1 + 0x1p-23f), 1u);
  EXPECT_EQ(ulp_distance(0.0f, -0.0f), 0u);
  EXPECT_EQ(ulp_distance(-0x1p-149f, 0x1p-149f), 2u);
  EXPECT_EQ(ulp_distance(1, 2), 1u << 23);
  EXPECT_EQ(ulp_distance(-1, 1), 2130706432u);
  EXPECT_EQ(ulp_distance(Limits::max(), Limits::infinity()), 1u);
  EXPECT_EQ(ulp_distance(0, 0x1p-126f), 1u << 23);
}

TEST(Facts, F02_OneUlpOfAnInputIsManyOfACancelledResult) {
  const float x = 1 + 0x1p-23f, y = 1 + 0x1p-22f;
  EXPECT_EQ(ulp_distance(x, y), 1u);
  EXPECT_EQ(x - 1, 0x1p-23f);
  EXPECT_EQ(ulp_distance(x - 1, y - 1), 1u << 23);
}

double ones(int count, Format format) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum = round_to(sum + 1, format);
  return sum;
}

TEST(Facts, F03_SumsOfOnesStallAtTheFirstOddIntegerThatDoesNotFit) {
  EXPECT_EQ(round_to(0x1p24 + 1, Format::fp32), 0x1p24);
  EXPECT_EQ(ones(4096, Format::fp16), 2048);
  EXPECT_EQ(ones(1000, Format::bf16), 256);
}

TEST(Facts, F07_ConversionsTieAsTheirRoundingSaysAndFp16OverflowsAt65520) {
  const auto away = [](double x) { return round_to(x, Format::tf32, Rounding::nearest_away); };
  const auto even = [](double x) { return round_to(x, Format::tf32); };
  EXPECT_EQ(away(1 + 0x1p-11), 1 + 0x1p-10);
  EXPECT_EQ(even(1 + 0x1p-11), 1);
  EXPECT_EQ(even(1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(round_to(1.99999988f, Format::tf32, Rounding::toward_zero), 2 - 0x1p-10);
  const auto bits = [](double x) {
    return __builtin_bit_cast(std::uint32_t, static_cast<float>(x));
  };
  EXPECT_EQ(bits(away(1.0f / 3)), 0x3EAAA000u);
  EXPECT_EQ(bits(away(0.1f)), 0x3DCCC000u);
  EXPECT_EQ(round_to(1 + 0x1p-8, Format::bf16), 1);
  EXPECT_EQ(round_to(1 + 3 * 0x1p-8, Format::bf16), 1 + 0x1p-6);
  EXPECT_EQ(round_to(65519, Format::fp16), 65504);
  EXPECT_EQ(round_to(65520, Format::fp16), Limits::infinity());
  EXPECT_EQ(round_to(2049, Format::fp16), 2048);
}

}  // namespace
}  // namespace ulpfuzz
