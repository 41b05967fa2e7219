#include <gtest/gtest.h>

#include <string>

#include "shrink/trial.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// Guards what bench/shrink measures, with three starts a fault: counts that do not depend on the
/// speed of the machine.
namespace ulpfuzz {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::size_t starts = 3;

struct Totals {
  std::uint64_t trials = 0, above = 0, evaluations = 0;
};

void run(const bench::Planted& planted, const Subject& fault, Totals& totals) {
  SCOPED_TRACE(planted.name);
  const auto optimum = bench::structure(bench::optimum(planted, fault).value);
  const auto found = bench::find_starts(planted, fault, seed, starts);
  ASSERT_EQ(found.size(), starts);
  for (const bench::Start& start : found) {
    const bench::Trial t = bench::run_trial(planted, fault, start, optimum);
    SCOPED_TRACE(t.text);
    EXPECT_FALSE(t.below);
    EXPECT_FALSE(t.slipped);
    EXPECT_EQ(t.reproduced, 1);
    EXPECT_LE(t.evaluations, 1500u);
    ++totals.trials;
    totals.above += t.gap > 0 ? 1 : 0;
    totals.evaluations += t.evaluations;
  }
}

TEST(Shrinking, EndsAtTheSimplestCaseInFewEvaluationsAndNeverInAnotherFailure) {
  const Registry faults = planted_faults();
  Totals totals;
  for (const bench::Planted& planted : bench::planted())
    run(planted, *faults.find(planted.subject), totals);
  EXPECT_GE(totals.trials, 16 * starts);
  EXPECT_LE(10 * totals.above, totals.trials) << totals.above << " of " << totals.trials;
  // 160 a start where this was written.
  EXPECT_LE(totals.evaluations, 220 * totals.trials);
}

}  // namespace
}  // namespace ulpfuzz
