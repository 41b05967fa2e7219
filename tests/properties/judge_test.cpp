#include "../../properties/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ulpfuzz::properties {
namespace {

using bounds::Judgement;

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr double lambda = 8;

Side usable(double reference, double sound, double sigma, double local) {
  return {reference, sound, sigma, local, Judgement::usable};
}

Side judged_as(Judgement judgement, double reference) { return {reference, 1, 1, 1, judgement}; }

TEST(JudgePaths, PassesWithinTheLastOpsOwnErrorWithoutRefining) {
  const Side s = usable(1, 1e-6, 2e-8, 1e-7);
  const Judged j = judge_paths(1.0f, 1.0f + 0x1p-23f, s, s, lambda, false);
  EXPECT_EQ(j.ruling, Ruling::pass);
  EXPECT_EQ(j.tier, Tier::probabilistic);
  EXPECT_DOUBLE_EQ(j.sound, 2e-6);
}

TEST(JudgePaths, AsksForTheTightestBoundBeforeItJudgesMore) {
  const Side s = usable(1, 1e-6, 1e-8, 1e-9);
  EXPECT_EQ(judge_paths(1.0f, 1.0f + 0x1p-22f, s, s, lambda, false).ruling, Ruling::refine);
}

TEST(JudgePaths, FailsBeyondTheSumOfBothSoundBounds) {
  const Side s = usable(1, 0x1p-24, 1, 0);
  EXPECT_EQ(judge_paths(1.0f, 1.0f + 0x1p-23f, s, s, lambda, true).ruling, Ruling::pass);
  const Judged j = judge_paths(1.0f, 1.0f + 0x1p-22f, s, s, lambda, true);
  EXPECT_EQ(j.ruling, Ruling::fail);
  EXPECT_EQ(j.failure, FailureClass::beyond_bound);
  EXPECT_EQ(j.tier, Tier::sound);
  EXPECT_DOUBLE_EQ(j.share_sound(), 2);
}

TEST(JudgePaths, AlarmsBetweenTheProbabilisticAndTheSoundBound) {
  const Side s = usable(1, 0.01, 1e-8, 0);
  const Judged j = judge_paths(1.0f, 1.001f, s, s, lambda, true);
  EXPECT_EQ(j.ruling, Ruling::alarm);
  EXPECT_NEAR(j.probable, lambda * 1e-8 * std::sqrt(2), 1e-12);
}

TEST(JudgePaths, CallsTheBoundSoundWhereItIsTheSmallerOne) {
  const Side s = usable(1, 1e-6, 1, 0);
  EXPECT_EQ(judge_paths(1.0f, 1.0f + 0x1p-23f, s, s, lambda, true).tier, Tier::sound);
}

TEST(JudgePaths, CountsNothingWhereNoBoundSaysAnything) {
  const Side s = usable(1, 0.2, 1, 0.2);
  EXPECT_EQ(judge_paths(1.0f, 1.1f, s, s, lambda, true).tier, Tier::none);
  const Side none = judged_as(Judgement::no_bound, 1);
  const Judged j = judge_paths(1.0f, nan, none, none, lambda, true);
  EXPECT_EQ(j.ruling, Ruling::pass);
  EXPECT_EQ(j.tier, Tier::none);
}

TEST(JudgePaths, TakesDifferentMasksOfTheTwoPathsIntoAccount) {
  const Side a = usable(0, 1e-7, 1, 0);
  const Side b = usable(5, 1e-7, 1, 0);
  EXPECT_EQ(judge_paths(0.0f, 5.0f, a, b, lambda, true).ruling, Ruling::pass);
  EXPECT_EQ(judge_paths(0.0f, 0.0f, a, b, lambda, true).ruling, Ruling::fail);
}

TEST(JudgePaths, AllowsNoDifferenceWhereNothingRounds) {
  const Side s = judged_as(Judgement::exact, 3);
  const Judged equal = judge_paths(0.0f, -0.0f, s, s, lambda, true);
  EXPECT_EQ(equal.ruling, Ruling::pass);
  EXPECT_EQ(equal.tier, Tier::exact);
  const Judged off = judge_paths(3.0f, 3.0f + 0x1p-22f, s, s, lambda, true);
  EXPECT_EQ(off.ruling, Ruling::fail);
  EXPECT_EQ(off.failure, FailureClass::beyond_bound);
}

TEST(JudgePaths, FailsWhatIsNotFiniteWhereTheExactResultSafelyIs) {
  const Side s = usable(1, 1e-6, 1, 0);
  for (const float x : {inf, -inf, nan}) {
    const Judged j = judge_paths(1.0f, x, s, s, lambda, true);
    EXPECT_EQ(j.ruling, Ruling::fail);
    EXPECT_EQ(j.failure, FailureClass::nonfinite_mismatch);
  }
}

TEST(JudgePaths, ComparesOnlyTheClassOfWhatIsNotFinite) {
  const Side s = judged_as(Judgement::nonfinite, std::numeric_limits<double>::infinity());
  const Judged same = judge_paths(inf, inf, s, s, lambda, true);
  EXPECT_EQ(same.ruling, Ruling::pass);
  EXPECT_EQ(same.tier, Tier::class_only);
  EXPECT_EQ(judge_paths(inf, -inf, s, s, lambda, true).ruling, Ruling::fail);
  EXPECT_EQ(judge_paths(inf, 1.0f, s, s, lambda, true).ruling, Ruling::fail);
  EXPECT_EQ(judge_paths(nan, nan, s, s, lambda, true).ruling, Ruling::fail);
}

TEST(JudgeReference, AcceptsInfinityAndTheValueWhereTheRangeEnds) {
  const Side s = judged_as(Judgement::range, 3e38);
  EXPECT_EQ(judge_reference(3e38f, Side{s.reference, 1e35, 1, 1, s.judgement}, lambda, true).tier,
            Tier::class_only);
  EXPECT_EQ(judge_reference(inf, s, lambda, true).ruling, Ruling::pass);
}

TEST(JudgeReference, FailsBeyondOneSoundBound) {
  const Side s = usable(1, 0x1p-24, 1, 0);
  EXPECT_EQ(judge_reference(1.0f + 0x1p-23f, s, lambda, true).ruling, Ruling::fail);
  EXPECT_EQ(judge_reference(1.0f, s, lambda, true).ruling, Ruling::pass);
}

TEST(Vacuity, BeginsAtATenthOfTheValueOrOfOne) {
  EXPECT_FALSE(is_vacuous(0.1, 0));
  EXPECT_TRUE(is_vacuous(0.11, 0));
  EXPECT_FALSE(is_vacuous(1, 10));
  EXPECT_TRUE(is_vacuous(std::numeric_limits<double>::quiet_NaN(), 10));
}

}  // namespace
}  // namespace ulpfuzz::properties
