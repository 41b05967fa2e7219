#include "boundary_turn.hpp"

#include <gmock/gmock.h>

namespace ulpfuzz::shrinking {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Readings where(std::function<bool(std::uint32_t)> fails, std::uint32_t largest = 1u << 20) {
  return [=](std::uint32_t n) -> Reading {
    if (n > largest) return {};
    if (fails(n)) return {Reading::State::fails, 100};
    return {Reading::State::passes, 0.1};
  };
}

TEST(FindTurn, NamesBothSidesOfALowerLimit) {
  const auto turn =
      find_turn({.n = 40, .symbol = "batch"}, where([](std::uint32_t n) { return n >= 40; }, 700));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->fails, 40);
  EXPECT_EQ(turn->passes, 39);
  EXPECT_THAT(turn->text, StartsWith("fails from batch 40 on (tried up to "));
  EXPECT_THAT(turn->text, HasSubstr("passes at 39"));
}

TEST(FindTurn, FindsTheLimitBelowACaseThatIsNotMinimal) {
  const auto turn =
      find_turn({.n = 5000, .symbol = "batch"}, where([](std::uint32_t n) { return n >= 129; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->fails, 129);
  EXPECT_EQ(turn->passes, 128);
}

TEST(FindTurn, FindsTheEndOfFailing) {
  const auto turn =
      find_turn({.n = 3, .symbol = "K"}, where([](std::uint32_t n) { return n <= 100; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->fails, 100);
  EXPECT_EQ(turn->passes, 101);
  EXPECT_THAT(turn->text, StartsWith("fails up to K = 100 (tried down to 1), passes from 101 on"));
}

TEST(FindTurn, NamesAnIntervalAndASingleSize) {
  const auto interval = find_turn({.n = 20, .symbol = "N"},
                                  where([](std::uint32_t n) { return n >= 17 && n <= 30; }));
  ASSERT_TRUE(interval);
  EXPECT_THAT(interval->text, StartsWith("fails from N = 17 to 30, passes at 16 and 31"));
  const auto single =
      find_turn({.n = 33, .symbol = "K"}, where([](std::uint32_t n) { return n == 33; }));
  ASSERT_TRUE(single);
  EXPECT_THAT(single->text, StartsWith("fails at K = 33 alone, passes at 32 and 34"));
  EXPECT_EQ(single->fails, 33);
  EXPECT_EQ(single->passes, 32);
}

TEST(FindTurn, NamesAPeriod) {
  const auto turn =
      find_turn({.n = 3, .symbol = "K"}, where([](std::uint32_t n) { return n % 4 == 3; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->text, "fails where K mod 4 is 3 (3, 7, 11), passes at 1, 2, 4, 5 ..");
  EXPECT_EQ(turn->fails, 3);
  EXPECT_EQ(turn->passes, 2);
}

TEST(FindTurn, NamesTheRareSideOfAPeriod) {
  const auto turn =
      find_turn({.n = 1, .symbol = "width"}, where([](std::uint32_t n) { return n % 8 != 0; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->text, "passes where width mod 8 is 0 (8, 16), fails at 1, 2, 3, 4 ..");
  EXPECT_EQ(turn->passes, 8);
}

TEST(FindTurn, NamesAPeriodThatStartsLate) {
  const auto turn = find_turn({.n = 9, .symbol = "K"},
                              where([](std::uint32_t n) { return n >= 8 && n % 2 == 1; }));
  ASSERT_TRUE(turn);
  EXPECT_THAT(turn->text, StartsWith("fails where K mod 2 is 1 from 8 on (9, 11, 13"));
}

TEST(FindTurn, SaysThatThereIsNoRuleWhereThereIsNone) {
  const auto prime = [](std::uint32_t n) {
    for (std::uint32_t d = 2; d * d <= n; ++d)
      if (n % d == 0) return false;
    return n > 1;
  };
  const auto turn = find_turn({.n = 7, .symbol = "K"}, where(prime));
  ASSERT_TRUE(turn);
  EXPECT_THAT(turn->text, StartsWith("fails at K = 7, passes at 6, with no rule"));
}

TEST(FindTurn, FindsNothingWhereAllSizesFail) {
  EXPECT_FALSE(find_turn({.n = 5, .symbol = "K"}, where([](std::uint32_t) { return true; })));
}

TEST(FindTurn, FindsNothingWhereTheShareCreepsOverTheBound) {
  const Readings growing = [](std::uint32_t n) -> Reading {
    const double share = 0.1 * n;
    return {share >= 1 ? Reading::State::fails : Reading::State::passes, share};
  };
  EXPECT_FALSE(find_turn({.n = 12, .symbol = "K"}, growing));
}

// 71 passes, though only because the share gets smaller and smaller.
TEST(FindTurn, NeverCountsWhatPassesAmongTheSizesThatFail) {
  const Readings fading = [](std::uint32_t n) -> Reading {
    if (n < 10) return {Reading::State::passes, 0.01};
    const double share = 7.0 / n * 10;
    return {share >= 1 ? Reading::State::fails : Reading::State::passes, share};
  };
  const auto turn = find_turn({.n = 12, .symbol = "K"}, fading);
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->text, "fails from K = 10 on (tried up to 70), passes at 9");
}

TEST(FindTurn, SaysWhichSizesAreNotKnownBetweenItsTwoSides) {
  const Readings gap = [](std::uint32_t n) -> Reading {
    if (n > 24 && n < 31) return {};
    return {n >= 31 ? Reading::State::fails : Reading::State::passes, n >= 31 ? 100 : 0.1};
  };
  const auto turn = find_turn({.n = 40, .most = 100, .symbol = "N"}, gap);
  ASSERT_TRUE(turn);
  EXPECT_THAT(turn->text, StartsWith("fails from N = 32 on (tried up to "));
  EXPECT_THAT(turn->text, HasSubstr("passes at 24 (sizes between: not known)"));
}

TEST(FindTurn, ClaimsNothingAboutSizesItCannotTry) {
  // Nothing but 12 can be judged.
  const auto only = [](std::uint32_t n) -> Reading {
    if (n != 12) return {};
    return {Reading::State::fails, 5};
  };
  EXPECT_FALSE(find_turn({.n = 12, .symbol = "K"}, only));
}

TEST(FindTurn, LooksAtZeroWhereAsked) {
  const auto turn = find_turn({.n = 1, .least = 0, .symbol = "padding"},
                              where([](std::uint32_t n) { return n >= 1; }));
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->passes, 0);
}

TEST(FindTurn, FailsAtNothingAlone) {
  const auto turn =
      find_turn({.n = 0, .symbol = "K"}, where([](std::uint32_t n) { return n == 0; }));
  ASSERT_TRUE(turn);
  EXPECT_THAT(turn->text, StartsWith("fails at K = 0 alone, passes from 1 on"));
}

}  // namespace
}  // namespace ulpfuzz::shrinking
