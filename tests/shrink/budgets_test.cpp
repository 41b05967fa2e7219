#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "shrink/judges.hpp"

namespace ulpfuzz {
namespace {

const Judge needs_three_rows = failing_where([](const Case& c) { return c.batch() >= 3; });

TEST(ShrinkBudget, OfEvaluationsIsNeverExceeded) {
  const std::uint64_t all = shrink(two_layers(20, 6, 5), needs_three_rows).evaluations;
  ASSERT_GT(all, 12u);
  for (const std::uint64_t most : {1u, 2u, 3u, 10u}) {
    std::uint64_t judged = 0;
    ShrinkOptions options;
    options.evaluations = most;
    const ShrinkResult r = shrink(
        two_layers(20, 6, 5),
        [&](const Case& c) {
          ++judged;
          return needs_three_rows(c);
        },
        options);
    EXPECT_EQ(judged, most);
    EXPECT_EQ(r.evaluations, most);
    EXPECT_EQ(r.stop, ShrinkStop::evaluations);
    EXPECT_TRUE(r.verdict.failed());
    EXPECT_GE(r.value.batch(), 3u);
  }
}

TEST(ShrinkBudget, OfTimeEndsIt) {
  ShrinkOptions options;
  options.seconds = 0.05;
  const ShrinkResult r = shrink(
      two_layers(20, 6, 5),
      [&](const Case& c) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return needs_three_rows(c);
      },
      options);
  EXPECT_EQ(r.stop, ShrinkStop::time);
  EXPECT_GE(r.evaluations, 1u);
  EXPECT_LE(r.evaluations, 4u);
  EXPECT_GE(r.seconds, 0.05);
}

TEST(ShrinkBudget, OfFruitlessEvaluationsEndsIt) {
  std::uint64_t last = 0;
  ShrinkOptions options;
  options.stall = 3;
  options.accepted = [&](const Case&, const Verdict&, std::uint64_t at) { last = at; };
  const ShrinkResult r = shrink(two_layers(20, 6, 5), needs_three_rows, options);
  EXPECT_EQ(r.stop, ShrinkStop::stalled);
  EXPECT_EQ(r.evaluations, last + options.stall);
  EXPECT_GT(r.accepted, 0u);
}

TEST(ShrinkBudget, IsOverOnceItIsCancelled) {
  int left = 9;
  ShrinkOptions options;
  options.cancelled = [&] { return left <= 0; };
  std::uint64_t judged = 0;
  const ShrinkResult r = shrink(
      two_layers(20, 6, 5),
      [&](const Case& c) {
        --left;
        ++judged;
        return needs_three_rows(c);
      },
      options);
  EXPECT_EQ(r.stop, ShrinkStop::cancelled);
  EXPECT_EQ(judged, 9u);
  EXPECT_EQ(r.evaluations, 8u) << "what is judged while it is cancelled may be no answer";
  EXPECT_TRUE(r.verdict.failed());
}

TEST(ShrinkBudget, IsOverBeforeItBegins) {
  ShrinkOptions options;
  options.cancelled = [] { return true; };
  const Case c = two_layers(4, 3, 2);
  const ShrinkResult r = shrink(c, needs_three_rows, options);
  EXPECT_EQ(r.stop, ShrinkStop::cancelled);
  EXPECT_EQ(r.evaluations, 0u);
  EXPECT_FALSE(r.verdict.failed());
  EXPECT_TRUE(identical(r.value, c));
}

TEST(ShrinkBudget, IsOverWhenNothingCanBeJudgedAnyMore) {
  bool broken = false;
  int left = 6;
  ShrinkOptions options;
  options.broken = [&] { return broken; };
  const ShrinkResult r = shrink(
      two_layers(20, 6, 5),
      [&](const Case& c) {
        broken = --left == 0;
        return broken ? failure(1, "device error", FailureClass::exception) : needs_three_rows(c);
      },
      options);
  EXPECT_EQ(r.stop, ShrinkStop::broken);
  EXPECT_EQ(r.evaluations, 6u);
  EXPECT_EQ(r.verdict.failure, FailureClass::beyond_bound);
}

TEST(ShrinkBudget, IsSharedByBothResultsAndTheSevereOneTakesNoMoreThanTheMinimal) {
  // The larger the batch the larger the share: the severe result keeps half the rows.
  const Judge judge = [](const Case& c) {
    return c.batch() >= 2 ? failure(8.0 * static_cast<double>(c.batch())) : Verdict{};
  };
  ShrinkOptions minimal_alone;
  minimal_alone.severe = false;
  const std::uint64_t alone = shrink(two_layers(40, 6, 5), judge, minimal_alone).evaluations;
  const ShrinkResult both = shrink(two_layers(40, 6, 5), judge);
  ASSERT_TRUE(both.severe);
  EXPECT_GT(both.evaluations, alone);
  EXPECT_LE(both.evaluations, 2 * alone);
  ShrinkOptions tight;
  tight.evaluations = alone + 5;
  const ShrinkResult r = shrink(two_layers(40, 6, 5), judge, tight);
  EXPECT_LE(r.evaluations, alone + 5);
  EXPECT_EQ(r.stop, ShrinkStop::fixed_point) << "of the minimal result";
  EXPECT_TRUE(identical(r.value, both.value));
}

}  // namespace
}  // namespace ulpfuzz
