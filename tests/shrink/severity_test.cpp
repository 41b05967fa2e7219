#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ladder.hpp"
#include "shrink/judges.hpp"

namespace ulpfuzz {
namespace {

/// Its share is 8 a row; from two rows on it fails.
Verdict eight_a_row(const Case& c) {
  return c.batch() >= 2 ? failure(8.0 * static_cast<double>(c.batch())) : Verdict{};
}

TEST(Severe, KeepsHalfTheShareWhereTheMinimalResultDoesNot) {
  const ShrinkResult r = shrink(two_layers(40, 6, 5), eight_a_row);
  EXPECT_EQ(r.before.share, 320);
  EXPECT_EQ(r.value.batch(), 2u);
  ASSERT_TRUE(r.severe);
  EXPECT_EQ(r.severe->value.batch(), 20u);
  EXPECT_EQ(r.severe->verdict.share, 160);
  EXPECT_EQ(r.severe->value.network.nodes().size(), r.value.network.nodes().size());
}

TEST(Severe, IsNothingWhereTheMinimalResultKeepsHalfTheShare) {
  const ShrinkResult r =
      shrink(two_layers(40, 6, 5), failing_where([](const Case& c) { return c.batch() >= 2; }));
  EXPECT_FALSE(r.severe);
}

TEST(Severe, IsNothingWhereSharesAreNotFiniteOrNotWanted) {
  const Judge infinite = [](const Case& c) {
    return c.batch() < 2    ? Verdict{}
           : c.batch() < 20 ? failure(4)
                            : failure(std::numeric_limits<double>::infinity());
  };
  const ShrinkResult r = shrink(two_layers(40, 6, 5), infinite);
  EXPECT_EQ(r.verdict.share, 4);
  EXPECT_FALSE(r.severe);
  ShrinkOptions options;
  options.severe = false;
  EXPECT_FALSE(shrink(two_layers(40, 6, 5), eight_a_row, options).severe);
}

TEST(MinimalResult, KeepsAMarginOverTheBound) {
  const Judge one_a_row = [](const Case& c) {
    const double share = 1.0 + (static_cast<double>(c.batch()) - 1) / 8;
    return c.batch() >= 2 ? failure(share) : Verdict{};
  };
  const ShrinkResult r = shrink(two_layers(40, 6, 5), one_a_row);
  EXPECT_EQ(r.value.batch(), 9u) << "share " << r.verdict.share;
  EXPECT_EQ(r.verdict.share, 2);
}

TEST(Ladder, HasTheSimplestCaseOfEachOctave) {
  const ShrinkResult r = shrink(two_layers(40, 6, 5), eight_a_row);
  ASSERT_GE(r.ladder.size(), 3u);
  int last = std::numeric_limits<int>::min();
  for (const Rung& rung : r.ladder) {
    EXPECT_GT(rung.octave, last);
    last = rung.octave;
    const Verdict v = eight_a_row(rung.least.value);
    EXPECT_EQ(v.share, rung.least.verdict.share);
    EXPECT_GE(v.share, std::ldexp(1.0, rung.octave));
    EXPECT_LT(v.share, std::ldexp(1.0, rung.octave + 1));
  }
  EXPECT_EQ(r.ladder.front().octave, 4);
  EXPECT_TRUE(identical(r.ladder.front().least.value, r.value));
  EXPECT_EQ(r.ladder.back().octave, 8) << "of the start, 320";
}

TEST(Ladder, KeepsTheLeastAndSkipsWhatHasNoOctave) {
  shrinking::Ladder ladder;
  const auto add = [&](double share, std::uint64_t complexity) {
    ladder.add({two_layers(1, 1, 1), failure(share), {complexity}});
  };
  add(5, 7);
  add(6, 4);
  add(4, 5);
  add(std::numeric_limits<double>::infinity(), 1);
  add(std::numeric_limits<double>::quiet_NaN(), 1);
  add(0, 1);
  add(17, 9);
  const auto rungs = ladder.rungs();
  ASSERT_EQ(rungs.size(), 2u);
  EXPECT_EQ(rungs[0].octave, 2);
  EXPECT_EQ(rungs[0].least.verdict.share, 6);
  EXPECT_EQ(rungs[1].octave, 4);
  ASSERT_NE(ladder.least_from(7), nullptr);
  EXPECT_EQ(ladder.least_from(7)->verdict.share, 17);
  EXPECT_EQ(ladder.least_from(5)->verdict.share, 6);
  EXPECT_EQ(ladder.least_from(18), nullptr);
}

TEST(Neighbour, IsOneRowLessWhereRowsDecide) {
  const auto fails = [](const Case& c) { return c.batch() >= 5 && longest_reduction(c) >= 3; };
  const ShrinkResult r = shrink(two_layers(40, 17, 9), failing_where(fails));
  ASSERT_TRUE(r.neighbour);
  EXPECT_EQ(r.neighbour->value.batch(), 4u);
  EXPECT_EQ(longest_reduction(r.neighbour->value), 3u);
  EXPECT_EQ(r.neighbour->verdict.outcome, Outcome::pass);
  EXPECT_FALSE(r.neighbour->edit.empty());
}

TEST(Neighbour, IsOneFeatureLessWhereOnlyFeaturesDecide) {
  const ShrinkResult r = shrink(
      two_layers(6, 17, 9), failing_where([](const Case& c) { return longest_reduction(c) >= 7; }));
  ASSERT_TRUE(r.neighbour);
  EXPECT_EQ(longest_reduction(r.value), 7u);
  EXPECT_EQ(longest_reduction(r.neighbour->value), 6u);
}

TEST(Neighbour, IsNoVacuousCase) {
  const Judge judge = [](const Case& c) {
    Verdict v = c.batch() >= 5 ? failure() : Verdict{};
    if (!v.failed()) v.outcome = Outcome::vacuous;
    return v;
  };
  EXPECT_FALSE(shrink(two_layers(40, 3, 3), judge).neighbour);
}

}  // namespace
}  // namespace ulpfuzz
