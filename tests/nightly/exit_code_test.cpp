#include <gtest/gtest.h>

#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {
namespace {

using report::BucketState;

struct Row {
  int code;
  std::vector<BucketState> buckets;
  bool error = false;
  std::uint64_t judged = 10;  ///< cases of the only pair
};

report::Night night_of(const Row& row) {
  report::Night night;
  for (const BucketState state : row.buckets) {
    night.buckets.emplace_back().state = state;
    night.buckets.back().bucket.flaky = state == BucketState::flaky;
  }
  if (row.error) night.errors.emplace_back("no space left");
  night.cases = 10;
  PairCounts& pair = night.pairs.emplace_back();
  pair.cases = 10;
  pair.pass = row.judged;
  pair.vacuous = 10 - row.judged;
  return night;
}

TEST(NightlyExitCode, IsTheFirstThatApplies) {
  using enum BucketState;
  const std::vector<Row> table{{0, {}},
                               {0, {known}},
                               {0, {fixed}},
                               {0, {known, fixed}},
                               {1, {fresh}},
                               {1, {open}},
                               {1, {known, open}},
                               {1, {flaky, fresh}},
                               {1, {fresh}, false, 0},
                               {3, {returned}},
                               {3, {fresh, open, returned, flaky}},
                               {4, {}, true},
                               {4, {returned, fresh}, true},
                               {4, {}, true, 0},
                               {5, {}, false, 0},
                               {5, {known}, false, 0},
                               {6, {flaky}},
                               {6, {flaky, known, fixed}},
                               {6, {flaky}, false, 0}};
  for (std::size_t i = 0; i < table.size(); ++i)
    EXPECT_EQ(exit_code(night_of(table[i])), table[i].code) << "row " << i;
}

TEST(NightlyExitCode, ANightWithoutACaseIsTooLittle) { EXPECT_EQ(exit_code(report::Night{}), 5); }

TEST(NightlyExitCode, RegressionsAloneAreTooLittle) {
  report::Night night;
  night.cases = 12;
  night.verdicts["pass"] = 12;
  EXPECT_EQ(exit_code(night), 5);
}

TEST(NightlyExitCode, ANightThatWasStoppedBeforeItsSearchIsTooLittle) {
  report::Night night = night_of({0, {}});
  for (const char* name : {"random", "search"}) {
    night.phases.emplace_back().name = name;
    night.phases.back().cases = 7;
  }
  night.interrupted = true;
  EXPECT_EQ(exit_code(night), 0) << "both had their turn";
  night.phases.back().cases = 0;
  EXPECT_EQ(exit_code(night), 5);
  night.interrupted = false;
  EXPECT_EQ(exit_code(night), 0) << "it ended by itself, as without the time for all";
}

TEST(NightlyExitCode, ANightThatWasToldToEndBeforeItPublishedIsNotGreen) {
  const auto unpublished = [](const Row& row) {
    report::Night night = night_of(row);
    night.interrupted = true;
    night.phases.emplace_back().name = "report";
    night.phases.back().state = report::Phase::State::cut;
    return night;
  };
  EXPECT_EQ(exit_code(unpublished({0, {}})), 5);
  EXPECT_EQ(exit_code(unpublished({6, {BucketState::flaky}})), 6);
  EXPECT_EQ(exit_code(unpublished({1, {BucketState::fresh}})), 1);
  EXPECT_EQ(exit_code(unpublished({4, {}, true})), 4);
  report::Night merged = unpublished({0, {}});
  merged.shards = {"a"};
  EXPECT_EQ(exit_code(merged), 0) << "merge() publishes for it";
}

TEST(NightlyExitCode, ARarePairMayHaveHadTooFewTurns) {
  report::Night night = night_of({5, {}, false, 0});
  night.pairs.front().rare = true;
  EXPECT_EQ(exit_code(night), 0);
  night.pairs.front().cases = 16;
  EXPECT_EQ(exit_code(night), 5);
}

}  // namespace
}  // namespace ulpfuzz::nightly
