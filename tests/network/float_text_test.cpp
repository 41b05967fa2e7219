#include "../../network/float_text.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

namespace ulpfuzz {
namespace {

std::string spelled(float x) {
  std::string text;
  append_float(text, x);
  return text;
}

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(FloatText, SpellsEachFloatOneWay) {
  EXPECT_EQ(spelled(1.0f), "0x1p+0");
  EXPECT_EQ(spelled(-0.1875f), "-0x1.8p-3");
  EXPECT_EQ(spelled(0.0f), "0x0p+0");
  EXPECT_EQ(spelled(-0.0f), "-0x0p+0");
  EXPECT_EQ(spelled(0x1p-149f), "0x1p-149");
  EXPECT_EQ(spelled(0x1.fffffcp-127f), "0x1.fffffcp-127");
  EXPECT_EQ(spelled(0x1.fffffep127f), "0x1.fffffep+127");
  EXPECT_EQ(spelled(HUGE_VALF), "inf");
  EXPECT_EQ(spelled(-HUGE_VALF), "-inf");
  EXPECT_EQ(spelled(from_bits(0x7fc00001)), "nan:7fc00001");
  EXPECT_EQ(spelled(from_bits(0xff800001)), "nan:ff800001");
}

TEST(FloatText, IsReadBackBitForBit) {
  std::mt19937 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const float x = from_bits(static_cast<std::uint32_t>(random()) & (i % 2 ? ~0u : 0x807fffffu));
    const auto back = parse_float(spelled(x));
    ASSERT_TRUE(back) << spelled(x);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(*back), std::bit_cast<std::uint32_t>(x)) << spelled(x);
    if (!std::isnan(x)) {
      ASSERT_EQ(std::strtof(spelled(x).c_str(), nullptr), x) << spelled(x);
    }
  }
}

TEST(FloatText, TakesWhatPeopleWrite) {
  EXPECT_EQ(parse_float("0.1"), 0.1f);
  EXPECT_EQ(parse_float("-3"), -3.0f);
  EXPECT_EQ(parse_float("1e-5"), 1e-5f);
  EXPECT_EQ(parse_float(".5"), 0.5f);
  EXPECT_EQ(parse_float("0x1.80p-003"), 0x1.8p-3f);
  EXPECT_EQ(parse_float("0x10p-4"), 1.0f);
  EXPECT_TRUE(std::isnan(parse_float("nan").value()));
}

TEST(FloatText, RefusesAnythingElse) {
  for (const char* text : {"",
                           "-",
                           "x",
                           "0x",
                           "0x-1p0",
                           "1.0f",
                           "1,5",
                           "--1",
                           "+1",
                           " 1",
                           "1 ",
                           "infinity",
                           "-nan",
                           "NaN",
                           "nan:",
                           "nan:7f800000",
                           "nan:3f800000",
                           "nan:7fc0000",
                           "nan:7fc000011",
                           "nan:0x7fc000",
                           "nan(1)",
                           "1e999",
                           "-1e39",
                           "0x1p128",
                           "0x1p-150",
                           "0x1.0000001p0",
                           "0x1p999999999999"}) {
    EXPECT_FALSE(parse_float(text)) << text;
  }
}

}  // namespace
}  // namespace ulpfuzz
