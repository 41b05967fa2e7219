#include "ulpfuzz/runner/words.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace ulpfuzz {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Words, SayNumbersAsPeopleReadThem) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(2000, "case"), "2,000 cases");
  EXPECT_EQ(clock_text(42.9), "0:42");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(percent(1, 8), "12.5%");
  EXPECT_EQ(percent(0, 0), "-");
}

TEST(Words, SayAShareNeverAsTheBoundItDidNotReach) {
  EXPECT_EQ(share_text(0.4375), "0.4375");
  EXPECT_EQ(share_text(0.99999), "<1");
  EXPECT_EQ(share_text(1), "1.0000");
  EXPECT_EQ(share_text(3.2e7), "3.2e+07");
  for (const double endless :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::max(),
        std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(share_text(endless), "infinite");
}

TEST(Words, PutTheMostFrequentFirst) {
  EXPECT_THAT(by_frequency({{"a", 1}, {"b", 3}, {"c", 1}, {"d", 2}}),
              ElementsAre(Pair("b", 3), Pair("d", 2), Pair("a", 1), Pair("c", 1)));
}

TEST(Words, QuoteForAShellWhatNeedsIt) {
  EXPECT_EQ(shell_word("findings/a-b/minimal.case.json"), "findings/a-b/minimal.case.json");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("fault/*"), "'fault/*'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(Words, AreTakenApart) {
  EXPECT_THAT(sentences("batch: from 2; rows: all"), ElementsAre("batch: from 2", "rows: all"));
  EXPECT_THAT(sentences(""), ElementsAre());
  EXPECT_TRUE(has_form("2026-12-31", "0000-00-00"));
  for (const char* text : {"", "2026-12-3", "2026-12-310", "2026/12/31", "2o26-12-31"})
    EXPECT_FALSE(has_form(text, "0000-00-00")) << text;
}

}  // namespace
}  // namespace ulpfuzz
