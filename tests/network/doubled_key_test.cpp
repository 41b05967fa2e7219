#include "ulpfuzz/network/doubled_key.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace ulpfuzz {
namespace {

using testing::Optional;

TEST(DoubledKey, IsNamedByItsPlace) {
  EXPECT_THAT(doubled_key(R"({"a": 1, "b": 2, "a": 3})"), Optional(std::string("a")));
  EXPECT_THAT(doubled_key(R"({"a": [0, {}, {"b": {"c": 1, "d": [], "c": 1}}]})"),
              Optional(std::string("a[2].b.c")));
  EXPECT_THAT(doubled_key(R"([[], [1, "x", null, {"k": true, "k": 0.5}]])"),
              Optional(std::string("[1][3].k")));
}

TEST(DoubledKey, IsTheSameHoweverItIsSpelled) {
  EXPECT_THAT(doubled_key(R"({"a": 1, "\u0061": 2})"), Optional(std::string("a")));
  EXPECT_THAT(doubled_key(R"({"": 1, "": 2})"), Optional(std::string("")));
}

TEST(DoubledKey, InAnotherObjectIsNone) {
  EXPECT_EQ(doubled_key(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}], "A": "a"})"), std::nullopt);
  EXPECT_EQ(doubled_key(""), std::nullopt);
  EXPECT_EQ(doubled_key("7"), std::nullopt);
  EXPECT_EQ(doubled_key(R"({"a": 1, )"), std::nullopt) << "no JSON";
}

TEST(DoubledKey, OfADeepPlaceIsNamedByItsEnd) {
  const std::string deep(100'000, '[');
  EXPECT_THAT(
      doubled_key(deep + R"({"a": 1, "a": 2})"),
      Optional("..." + fmt::format("{}", fmt::join(std::vector<std::string>(15, "[0]"), "")) +
               ".a"));
  const std::string key(1000, 'k');
  EXPECT_THAT(doubled_key(fmt::format(R"({{"{0}": 1, "{0}": 2}})", key)),
              Optional(key.substr(0, 60)));
}

}  // namespace
}  // namespace ulpfuzz
