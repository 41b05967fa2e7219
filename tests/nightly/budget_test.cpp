#include "../../nightly/budget.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace ulpfuzz::nightly {
namespace {

TEST(NightlyBudget, KeepsAQuarterForShrinkingAsSoonAsEnoughFailed) {
  EXPECT_DOUBLE_EQ(shrink_reserve(600, 100, 2), 150);
  EXPECT_DOUBLE_EQ(shrink_reserve(600, 4, 2), 80);
  EXPECT_DOUBLE_EQ(shrink_reserve(600, 0, 2), 30) << "the rest of the search may find something";
}

TEST(NightlyBudget, PhasesBeforeTheSearchLeaveItTime) {
  const double all = part_of_self_check + part_of_regressions + part_of_replay + part_of_shrink +
                     part_of_distil + part_of_report;
  EXPECT_LE(all, 0.65);
  EXPECT_GE(part_of_shrink, 0.25);
}

TEST(NightlyBudget, TimeFollowsYieldAndNobodyGetsNothing) {
  std::vector<Yield> ways(3);
  EXPECT_EQ(shares(ways), std::vector<double>(3, 1 / 3.0));
  note_yield(ways[0], 0, 10, 10);
  note_yield(ways[1], 1, 10, 10);
  note_yield(ways[2], 0, 0, 10);
  const std::vector<double> parts = shares(ways);
  EXPECT_DOUBLE_EQ(std::accumulate(parts.begin(), parts.end(), 0.0), 1);
  EXPECT_GT(parts[1], parts[0]);
  EXPECT_GT(parts[0], parts[2]);
  EXPECT_DOUBLE_EQ(parts[2], 0.15);
}

TEST(NightlyBudget, YieldForgets) {
  Yield y;
  note_yield(y, 0, 80, 10);
  EXPECT_DOUBLE_EQ(y.per_second, 8);
  for (int i = 0; i < 5; ++i) note_yield(y, 0, 0, 10);
  EXPECT_DOUBLE_EQ(y.per_second, 0.25);
}

TEST(NightlyBudget, RoundsAreShortAtFirstAndInShortNights) {
  EXPECT_DOUBLE_EQ(round_length(3), 3);
  EXPECT_DOUBLE_EQ(round_length(40), 15);
  EXPECT_DOUBLE_EQ(round_length(400), 100);
  EXPECT_DOUBLE_EQ(round_length(30000), 600);
}

}  // namespace
}  // namespace ulpfuzz::nightly
