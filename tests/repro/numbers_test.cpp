#include "numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulpfuzz::repro {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Numbers, AreWrittenExactly) {
  for (const float x : {0.1f, 1.0f, -2.5f, 1e-45f, 3.4028235e38f, 999.125f, 0x1p-126f, 123456.0f})
    for (const std::string& text : {cpp_element(x), cpp_double(double{x})})
      EXPECT_EQ(std::strtod(text.c_str(), nullptr), double{x}) << text;
}

TEST(Numbers, AreDecimalOnlyWhereThatIsExactAndShort) {
  EXPECT_EQ(cpp_element(3), "3");
  EXPECT_EQ(cpp_element(0.375f), "0.375");
  EXPECT_EQ(cpp_element(0.1f), "0x1.99999ap-4");
  EXPECT_EQ(cpp_float(3), "3.0f");
  EXPECT_EQ(cpp_float(0.1f), "0x1.99999ap-4f");
  EXPECT_EQ(python_float(0.1f), "float.fromhex('0x1.99999ap-4')");
}

TEST(Numbers, KeepSignsAndSpecialValues) {
  EXPECT_EQ(cpp_element(-0.0f), "-0.0");
  EXPECT_EQ(cpp_element(infinity), "INFINITY");
  EXPECT_EQ(cpp_element(-infinity), "-INFINITY");
  EXPECT_EQ(cpp_element(std::nanf("")), "NAN");
  EXPECT_EQ(python_float(-infinity), "float('-inf')");
}

std::vector<float> expand(const Pattern& p) {
  std::vector<float> values(p.size);
  for (std::size_t i = 0; i < p.size; ++i) values[i] = p.base[i % p.base.size()];
  for (const auto& [i, value] : p.exceptions) values[i] = value;
  return values;
}

TEST(Pattern, IsANumberAndExceptionsWhereMostAreEqual) {
  std::vector<float> values(65537, 1);
  values[65536] = 2;
  const Pattern p = pattern_of(values, 1);
  EXPECT_THAT(p.base, ElementsAre(1));
  EXPECT_THAT(p.exceptions, ElementsAre(Pair(65536u, 2)));
  EXPECT_EQ(expand(p), values);
}

TEST(Pattern, IsARowWhereRowsRepeat) {
  std::vector<float> values;
  for (int r = 0; r < 40; ++r) values.insert(values.end(), {1, 2, 3});
  values[119] = 0;
  const Pattern p = pattern_of(values, 3);
  EXPECT_THAT(p.base, ElementsAre(1, 2, 3));
  EXPECT_EQ(p.numbers(), 4u);
  EXPECT_EQ(expand(p), values);
}

TEST(Pattern, IsAllValuesWhereTheyDiffer) {
  std::vector<float> values(100);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  EXPECT_TRUE(pattern_of(values, 10).plain());
}

TEST(Pattern, TellsZerosAndNansApartByTheirBits) {
  std::vector<float> values(50, 0.0f);
  values[7] = -0.0f;
  EXPECT_EQ(pattern_of(values, 1).exceptions.size(), 1u);
}

TEST(Size, HasALimitThatSaysWhatToDo) {
  const Pattern p{.size = most_numbers, .base = std::vector<float>(most_numbers), .exceptions = {}};
  EXPECT_NO_THROW(check_size({p}));
  EXPECT_THAT(
      [&] {
        check_size({p, p});
      },
      testing::ThrowsMessage<std::invalid_argument>(HasSubstr("shrink it first")));
}

}  // namespace
}  // namespace ulpfuzz::repro
