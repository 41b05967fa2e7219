#include "ulpfuzz/core/format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace ulpfuzz {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

double tf32(double x, Rounding r = Rounding::nearest_even) { return round_to(x, Format::tf32, r); }
double bf16(double x) { return round_to(x, Format::bf16); }
double fp16(double x) { return round_to(x, Format::fp16); }
std::uint32_t float_bits(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

TEST(Format, TraitsAreThoseOfTheFormats) {
  EXPECT_EQ(traits(Format::fp32).max(), std::numeric_limits<float>::max());
  EXPECT_EQ(traits(Format::fp32).least(), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(traits(Format::fp32).unit_roundoff(), unit_roundoff_fp32);
  EXPECT_EQ(traits(Format::fp64).max(), std::numeric_limits<double>::max());
  EXPECT_EQ(traits(Format::fp64).least(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(traits(Format::fp16).max(), 65504.0);
  EXPECT_EQ(traits(Format::fp16).least(), 0x1p-24);
  EXPECT_EQ(traits(Format::bf16).max(), 0x1.fep127);
  EXPECT_EQ(traits(Format::bf16).least(), 0x1p-133);
  EXPECT_EQ(traits(Format::tf32).least(), 0x1p-136);
  EXPECT_EQ(traits(Format::tf32).name, "tf32");
}

TEST(RoundTo, Tf32FollowsItsThreeConversions) {
  EXPECT_EQ(tf32(1 + 0x1p-11, Rounding::nearest_away), 1 + 0x1p-10);
  EXPECT_EQ(tf32(1 + 0x1p-11), 1.0);
  EXPECT_EQ(tf32(1 + 3 * 0x1p-11), 1 + 0x1p-9);
  EXPECT_EQ(tf32(1.99999988, Rounding::toward_zero), 2 - 0x1p-10);
  EXPECT_EQ(float_bits(tf32(1.0f / 3.0f, Rounding::nearest_away)), 0x3EAAA000u);
  EXPECT_EQ(float_bits(tf32(0.1f, Rounding::nearest_away)), 0x3DCCC000u);
}

TEST(RoundTo, NarrowFormatsTieToEvenAndOverflow) {
  EXPECT_EQ(bf16(1 + 0x1p-8), 1.0);
  EXPECT_EQ(bf16(1 + 3 * 0x1p-8), 1 + 0x1p-6);
  EXPECT_EQ(fp16(65519), 65504.0);
  EXPECT_EQ(fp16(65520), inf);
  EXPECT_EQ(fp16(-65520), -inf);
  EXPECT_EQ(fp16(2049), 2048.0);
  EXPECT_EQ(round_to(65520, Format::fp16, Rounding::toward_zero), 65504.0);
  EXPECT_EQ(round_to(-1e300, Format::fp32, Rounding::toward_zero),
            -double{std::numeric_limits<float>::max()});
  EXPECT_EQ(round_to(1e300, Format::fp32, Rounding::nearest_away), inf);
}

TEST(RoundTo, UnderflowsGradually) {
  EXPECT_EQ(fp16(0x1p-24), 0x1p-24);
  EXPECT_EQ(fp16(0x1p-25), 0.0);
  EXPECT_EQ(fp16(std::nextafter(0x1p-25, 1.0)), 0x1p-24);
  EXPECT_EQ(round_to(0x1p-25, Format::fp16, Rounding::nearest_away), 0x1p-24);
  EXPECT_EQ(round_to(0x1.8p-24, Format::fp16, Rounding::toward_zero), 0x1p-24);
  EXPECT_TRUE(std::signbit(fp16(-0x1p-30)));
  EXPECT_TRUE(std::signbit(fp16(-0.0)));
  EXPECT_EQ(bf16(std::numeric_limits<double>::denorm_min()), 0.0);
}

TEST(RoundTo, KeepsNanAndInfinity) {
  for (const Format f : {Format::fp64, Format::fp32, Format::tf32, Format::bf16, Format::fp16}) {
    EXPECT_TRUE(std::isnan(round_to(std::nan(""), f)));
    EXPECT_EQ(round_to(-inf, f, Rounding::toward_zero), -inf);
  }
}

TEST(RoundTo, SumsStallWhereOneIsHalfAnUlp) {
  EXPECT_EQ(round_to(0x1p24 + 1, Format::fp32), 0x1p24);
  double sum16 = 0;
  for (int i = 0; i < 4096; ++i) sum16 = fp16(sum16 + 1);
  EXPECT_EQ(sum16, 2048.0);
  double sum_bf16 = 0;
  for (int i = 0; i < 1000; ++i) sum_bf16 = bf16(sum_bf16 + 1);
  EXPECT_EQ(sum_bf16, 256.0);
}

}  // namespace
}  // namespace ulpfuzz
