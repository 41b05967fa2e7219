#include <gmock/gmock.h>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report {
namespace {

using testing::HasSubstr;

Night night_with(const std::vector<BucketState>& states) {
  Night night;
  night.cases = 1'234'567;
  night.pairs = {{.property = "P", .subject = "S", .cases = 1'234'567, .pass = 1'234'567}};
  for (const BucketState state : states) night.buckets.emplace_back().state = state;
  return night;
}

TEST(Headline, SaysThatNothingIsNewOnlyWhereNothingIs) {
  using enum BucketState;
  EXPECT_EQ(headline(night_with({})), "nothing new in 1,234,567 cases");
  EXPECT_EQ(headline(night_with({known, known, fixed, flaky})),
            "nothing new in 1,234,567 cases; 2 known are quiet; 1 flaky finding; 1 is fixed");
  for (const BucketState red : {fresh, open, returned})
    EXPECT_THAT(headline(night_with({red, known})), Not(HasSubstr("nothing new")));
}

TEST(Headline, PutsWhatIsBackFirstThenWhatIsNew) {
  using enum BucketState;
  EXPECT_EQ(headline(night_with({fresh, known, fresh})), "2 new failures; 1 known is quiet");
  EXPECT_EQ(headline(night_with({fresh, open, open, returned})),
            "1 failure is back; 1 new failure; 2 failures are still open");
}

TEST(Headline, GivesNoVerdictOfAToolThatFailedItsSelfCheck) {
  Night night = night_with({BucketState::fresh});
  night.exit_code = 4;
  night.phases = {{.name = "self-check",
                   .state = Phase::State::failed,
                   .note = "fault/last_column was not caught"}};
  EXPECT_EQ(headline(night), "no verdict: the self-check failed: fault/last_column was not caught");
}

TEST(Headline, NamesBrokenInfrastructureBeforeFindings) {
  Night night = night_with({BucketState::fresh});
  night.errors = {"out/x: no space", "another"};
  EXPECT_EQ(headline(night), "infrastructure failed: out/x: no space (and 1 more); 1 new failure");
}

TEST(Headline, SaysThatANightIsNotOverOrWasStopped) {
  Night night = night_with({});
  night.running = true;
  EXPECT_EQ(headline(night), "not over: running, or killed");
  night.running = false;
  night.interrupted = true;
  EXPECT_EQ(headline(night), "nothing new in 1,234,567 cases; stopped early");
}

TEST(Headline, NamesThePairThatNeverJudged) {
  Night night = night_with({});
  night.exit_code = 5;
  night.pairs.push_back({.property = "Q", .subject = "T", .cases = 40, .vacuous = 40});
  EXPECT_EQ(headline(night), "too little was executed: Q never judged a case of T (40 tried)");
}

TEST(Headline, StaysOnOneLineWhateverAnErrorSays) {
  Night night = night_with({});
  night.errors = {"a\nb\x1b[31m" + std::string(100'000, 'x')};
  EXPECT_EQ(headline(night).find('\n'), std::string::npos);
  EXPECT_EQ(headline(night).find('\x1b'), std::string::npos);
  EXPECT_LT(headline(night).size(), 400u);
}

}  // namespace
}  // namespace ulpfuzz::report
