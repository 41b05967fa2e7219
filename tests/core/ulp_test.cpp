#include "ulpfuzz/core/ulp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "support/matchers.hpp"

namespace ulpfuzz {
namespace {

using testing_support::SameBits;
using testing_support::WithinUlp;
using limits = std::numeric_limits<float>;

constexpr float float_inf = limits::infinity();
constexpr float nan = limits::quiet_NaN();

// All floats alike; arbitrary numbers of small size would all be tiny subnormals.
rc::Gen<float> any_float() {
  return rc::gen::map(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>()),
                      [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
}

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::uint64_t distance(float a, float b) { return ulp_distance(a, b).value(); }

TEST(UlpDistance, CountsTheFloatsBetween) {
  EXPECT_EQ(distance(1.0f, std::nextafterf(1.0f, 2.0f)), 1u);
  EXPECT_EQ(distance(0.0f, -0.0f), 0u);
  EXPECT_EQ(distance(-0x1p-149f, 0x1p-149f), 2u);
  EXPECT_EQ(distance(1.0f, 2.0f), 1u << 23);
  EXPECT_EQ(distance(-1.0f, 1.0f), 2130706432u);
  EXPECT_EQ(distance(limits::max(), float_inf), 1u);
  EXPECT_EQ(distance(0.0f, 0x1p-126f), 1u << 23);
  EXPECT_EQ(distance(-limits::max(), limits::max()), 2u * 0x7f7fffffu);
}

TEST(UlpDistance, IsNothingWhereNoneMakesSense) {
  EXPECT_EQ(distance(nan, from_bits(0xffc00001)), 0u);
  EXPECT_EQ(distance(float_inf, float_inf), 0u);
  EXPECT_EQ(distance(-float_inf, -float_inf), 0u);
  EXPECT_FALSE(ulp_distance(nan, 1.0f));
  EXPECT_FALSE(ulp_distance(float_inf, nan));
  EXPECT_FALSE(ulp_distance(-float_inf, float_inf));
}

TEST(UlpDistance, OneInputUlpMovesACancelledResultByManyOfItsOwn) {
  const float near = std::nextafterf(1.0f, 2.0f) - 1.0f;
  const float next = std::nextafterf(std::nextafterf(1.0f, 2.0f), 2.0f) - 1.0f;
  EXPECT_EQ(near, 0x1p-23f);
  EXPECT_EQ(distance(near, next), 1u << 23);
}

TEST(UlpDistance, ContractsWhatAFlushingMachineCannotTellApart) {
  const auto flushed = [](float a, float b) { return ulp_distance_flushed(a, b).value(); };
  const float least_normal = 0x1p-126f;
  EXPECT_EQ(flushed(0.0f, least_normal), 1u);
  EXPECT_EQ(flushed(-least_normal, least_normal), 2u);
  EXPECT_EQ(flushed(0x1p-149f, -0x1p-127f), 0u);
  EXPECT_EQ(flushed(0x1p-149f, least_normal), 1u);
  EXPECT_EQ(flushed(1.0f, 2.0f), 1u << 23);
  EXPECT_EQ(flushed(nan, nan), 0u);
  EXPECT_FALSE(ulp_distance_flushed(nan, 0.0f));
  EXPECT_FALSE(ulp_distance_flushed(float_inf, -float_inf));
}

RC_GTEST_PROP(Ordinal, OrdersFloatsAsTheirValues, ()) {
  const float x = *any_float();
  const float y = *any_float();
  RC_PRE(!std::isnan(x) && !std::isnan(y));
  RC_ASSERT((ordinal(x) < ordinal(y)) == (x < y));
  RC_ASSERT((ordinal(x) == ordinal(y)) == (x == y));
}

RC_GTEST_PROP(Ordinal, GrowsByOneToTheNextFloat, ()) {
  const float x = *any_float();
  RC_PRE(std::isfinite(x));
  // Under a zero of either sign comes the negative subnormal, so the step is one there, too.
  RC_ASSERT(ordinal(std::nextafterf(x, float_inf)) - ordinal(x) == 1);
}

TEST(Ulp, IsTheSpacingOfTheBinadeOfTheExactValue) {
  EXPECT_EQ(ulp(1.0, Format::fp32), 0x1p-23);
  EXPECT_EQ(ulp(std::nextafter(1.0, 0.0), Format::fp32), 0x1p-24);
  EXPECT_EQ(ulp(-3.0, Format::fp32), 0x1p-22);
  EXPECT_EQ(ulp(1.0, Format::fp64), 0x1p-52);
  EXPECT_EQ(ulp(1.0, Format::tf32), 0x1p-10);
  EXPECT_EQ(ulp(1.0, Format::bf16), 0x1p-7);
  EXPECT_EQ(ulp(1.0, Format::fp16), 0x1p-10);
}

TEST(Ulp, StopsAtTheEndsOfTheRange) {
  EXPECT_EQ(ulp(0.0, Format::fp32), 0x1p-149);
  EXPECT_EQ(ulp(1e-300, Format::fp32), 0x1p-149);
  EXPECT_EQ(ulp(0x1p-127, Format::fp32), 0x1p-149);
  EXPECT_EQ(ulp(0.0, Format::fp16), 0x1p-24);
  EXPECT_EQ(ulp(0.0, Format::fp64), 0x1p-1074);
  EXPECT_EQ(ulp(std::numeric_limits<double>::infinity(), Format::fp32), 0x1p104);
  EXPECT_EQ(ulp(1e300, Format::fp16), 0x1p5);
  EXPECT_TRUE(std::isnan(ulp(nan, Format::fp32)));
}

RC_GTEST_PROP(Ulp, LiesBetweenOneAndTwoUnitRoundoffsOfTheValue, ()) {
  const double r = std::fabs(*any_float());
  RC_PRE(std::isfinite(r) && r >= 0x1p-126);
  RC_ASSERT(unit_roundoff_fp32 * r < ulp(r, Format::fp32));
  RC_ASSERT(ulp(r, Format::fp32) <= 2 * unit_roundoff_fp32 * r);
}

TEST(SameBits, TellsZerosAndNansApart) {
  EXPECT_FALSE(same_bits(0.0f, -0.0f));
  EXPECT_FALSE(same_bits(from_bits(0x7fc00000), from_bits(0x7fc00001)));
  EXPECT_TRUE(same_bits(nan, nan));
  EXPECT_THAT(from_bits(0x7fc00001), SameBits(from_bits(0x7fc00001)));
  EXPECT_THAT(1.0f, ::testing::Not(SameBits(std::nextafterf(1.0f, 2.0f))));
  EXPECT_THAT(1.0f, WithinUlp(std::nextafterf(1.0f, 2.0f), 1u));
  EXPECT_THAT(1.0f, ::testing::Not(WithinUlp(nan, 1000u)));
}

}  // namespace
}  // namespace ulpfuzz
