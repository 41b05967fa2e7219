#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "places.hpp"
#include "tiny_cases.hpp"

namespace ulpfuzz::generators {
namespace {

using testing::ElementsAre;

std::vector<float> numbers(std::string_view pass, const std::string& edit,
                           std::vector<float> before) {
  const Case c = relu_of(std::move(before));
  return after(pass, edit, c).inputs[0].data;
}

TEST(WholeTensors, BecomeZeroOneUnitOrTheirCheapestNumber) {
  const std::vector<float> before{-3, 0, 1, 5.5f};
  EXPECT_THAT(numbers("whole tensors", "input 0 -> 0", before), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(numbers("whole tensors", "input 0 -> 1", before), ElementsAre(1, 0, 1, 1))
      << "0 is simpler than 1";
  EXPECT_THAT(numbers("whole tensors", "input 0 -> +-1", before), ElementsAre(-1, 0, 1, 1));
  EXPECT_THAT(numbers("whole tensors", "input 0 -> -0x1.8p+1 where not 0 or 1", before),
              ElementsAre(-3, 0, 1, -3));
}

TEST(WholeTensors, ChangeTogetherToo) {
  const Case c = linear(1, 2, 1);
  const Case d = after("whole tensors", "all numbers -> 0", c);
  EXPECT_THAT(d.inputs[0].data, ElementsAre(0, 0));
  EXPECT_THAT(d.parameters[0].data, ElementsAre(0, 0));
}

TEST(Zeroing, LeavesSpecialNumbersAlone) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto left = numbers("zeroing", "input 0, finite numbers -> 0", {2, nan, 3, INFINITY});
  ASSERT_EQ(left.size(), 4u);
  EXPECT_TRUE(std::isnan(left[1]));
  EXPECT_EQ(left[0] + left[2], 0);
  EXPECT_EQ(left[3], INFINITY);
}

TEST(Zeroing, TakesRowsColumnsAndSingleNumbers) {
  const Case c = linear(2, 3, 1);
  EXPECT_THAT(after("zeroing", "input 0, row 1 -> 0", c).inputs[0].data,
              ElementsAre(1, 1, 1, 0, 0, 0));
  EXPECT_THAT(after("zeroing", "input 0, column 2 -> 0", c).inputs[0].data,
              ElementsAre(1, 1, 0, 1, 1, 0));
  EXPECT_THAT(numbers("zeroing", "input 0, numbers 2..2 -> 0", {7, 0, 8, 9}),
              ElementsAre(7, 0, 0, 9));
}

TEST(Rounding, KeepsSubnormalNumbers) {
  EXPECT_EQ(to_bits(0x1.6p-140f, 1), 0x1p-140f);
  EXPECT_EQ(to_bits(-0x1.8p-148f, 1), -0x1p-148f);
  EXPECT_EQ(to_bits(0x1.fffffep0f, 3), 1.75f);
  EXPECT_EQ(to_integer(0.25f, 0), 1) << "not 0, which is another step";
  EXPECT_EQ(to_integer(-2.5f, 0), -2);
  EXPECT_EQ(to_exponent(0x1.8p100f, 50), 0x1.8p50f);
  EXPECT_EQ(to_smaller_exponent(0x1.8p-3f, 0), 0x1.8p-2f);
}

TEST(Rounding, TriesFewBitsOfAllNumbersBeforeMany) {
  const Case c = relu_of({0x1.23456p3f, 0x1.98765p-2f});
  const auto edits = edits_of("rounding", c);
  const Edit* one = find(edits, "input 0 -> 1 bit");
  const Edit* eight = find(edits, "input 0 -> 8 bits");
  ASSERT_NE(one, nullptr);
  ASSERT_NE(eight, nullptr);
  EXPECT_LT(one, eight);
  EXPECT_THAT(one->apply().inputs[0].data, ElementsAre(0x1p3f, 0x1p-2f));
}

TEST(Rounding, BringsTheCommonExponentToZero) {
  EXPECT_THAT(numbers("rounding", "input 0 times 2^-10", {0x1.8p10f, 0x1.4p8f}),
              ElementsAre(1.5f, 0x1.4p-2f));
}

TEST(Rounding, EndsAtAnyThreshold) {
  for (const float limit : {100.0f, 0x1p-130f, 0x1.8p60f}) {
    Case c = relu_of({0x1.2345p100f});
    const auto fails = [&](const Case& d) { return d.inputs[0].data[0] > limit; };
    for (bool any = true; any;) {
      any = false;
      for (const Edit& edit : edits_of("rounding", c)) {
        Case d = edit.apply();
        if (!fails(d)) continue;
        c = std::move(d);
        any = true;
        break;
      }
    }
    const float x = c.inputs[0].data[0];
    int exponent = 0;
    EXPECT_EQ(std::frexp(x, &exponent), 0.5f) << x;
    EXPECT_TRUE(x <= std::max(2 * limit, 1.0f)) << x << " for " << limit;
  }
}

TEST(Pairs, MakeEqualAddExchangeAndSort) {
  const std::vector<float> before{5, 3};
  EXPECT_THAT(numbers("pairs", "input 0, numbers 0 and 1 both the last", before),
              ElementsAre(3, 3));
  EXPECT_THAT(numbers("pairs", "input 0, numbers 0 and 1 added in the last", before),
              ElementsAre(0, 8));
  EXPECT_THAT(numbers("pairs", "input 0, numbers 0 and 1 exchanged", before), ElementsAre(3, 5));
  EXPECT_THAT(numbers("pairs", "input 0 in ascending order", {5, 3, 4}), ElementsAre(3, 4, 5));
}

TEST(Pairs, MovePowersOfTwoAndSignsFromFactorToFactor) {
  Case c = linear(1, 1, 1);
  c.inputs[0].data = {-0x1.8p10f};
  c.parameters[0].data = {-0x1p-10f};
  const auto edits = edits_of("pairs", c);
  const Edit* scaled = find(edits, "2^10 from input 0 to parameter 0");
  ASSERT_NE(scaled, nullptr);
  EXPECT_EQ(scaled->apply().inputs[0].data[0], -1.5f);
  EXPECT_EQ(scaled->apply().parameters[0].data[0], -1.0f);
  const Edit* negated = find(edits, "input 0 and parameter 0 negated");
  ASSERT_NE(negated, nullptr);
  EXPECT_EQ(negated->apply().inputs[0].data[0], 0x1.8p10f);
}

TEST(Layout, MovesToSimplerOffsets) {
  Case c = relu_of({1});
  c.layout = {9, 2};
  EXPECT_EQ(after("layout", "batch buffers at 8 of 16", c).layout, (Layout{8, 2}));
  EXPECT_EQ(after("layout", "slice buffers at 1 of 16", c).layout, (Layout{9, 1}));
}

}  // namespace
}  // namespace ulpfuzz::generators
