#include <gmock/gmock.h>

#include "sample_night.hpp"
#include "support/folder.hpp"

namespace ulpfuzz::report {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing_support::Folder;

TEST(NightText, SaysTheVerdictFirstAndTheExitCodeLast) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  const std::string text = to_text(night);
  EXPECT_EQ(text.substr(0, text.find('\n')), "ulpfuzz night " + night.id + ": " + headline(night));
  EXPECT_TRUE(text.ends_with("exit code 3: a failure is back\n"));
}

TEST(NightText, ShowsEachPhaseAndEachBucketWithItsStateOwnerAndFile) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  const std::string text = to_text(night);
  for (const Phase& phase : night.phases) EXPECT_THAT(text, HasSubstr("\n" + phase.name + " "));
  for (const NightBucket& b : night.buckets) {
    EXPECT_THAT(text, HasSubstr(" " + b.bucket.id + ": "));
    EXPECT_THAT(text, HasSubstr(b.bucket.case_file.string()));
  }
  EXPECT_THAT(text, HasSubstr("\nRETURNED "));
  EXPECT_THAT(text, HasSubstr("known to Ann Example until 2026-12-31"));
  EXPECT_THAT(text, HasSubstr("60 nights before this one, 10 red; "));
}

TEST(NightText, DoesNotCallANightGoodThatIsNotOver) {
  const std::string text = to_text(samples::running_night());
  EXPECT_THAT(text, HasSubstr("not over: running, or killed"));
  EXPECT_THAT(text, HasSubstr("no exit code: not over"));
  EXPECT_THAT(text, Not(HasSubstr("nothing new")));
}

TEST(NightText, NamesWhatCouldNotRun) {
  const Folder folder;
  const std::string text = to_text(samples::usual_night(folder.path()));
  EXPECT_THAT(text, HasSubstr("not available: cuda/* (2 subjects): no CUDA device"));
  EXPECT_THAT(to_text(samples::cut_night()), HasSubstr("error: self-check: fault/row_leak"));
}

}  // namespace
}  // namespace ulpfuzz::report
