#include "ulpfuzz/runner/report.hpp"

#include <gmock/gmock.h>

namespace ulpfuzz {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Report, SaysOfHowManyVerdictsTheReasonWasLost) {
  CampaignResult r;
  r.cases = 1500;
  r.verdicts = {{"pass", 0}, {"fail", 0}, {"vacuous", 1200}, {"skip", 300}};
  r.vacuous_reasons = {{"no bound", 150}};
  r.skip_reasons = {{"unsupported", 300}};
  const std::string text = summary_text({}, r);
  EXPECT_THAT(text, HasSubstr("150 (10.0%) no bound\n"
                              "  (1,050 without a recorded reason: their worker died)\n"));
  EXPECT_THAT(text, HasSubstr("300 (20.0%) unsupported\n"));
  r.vacuous_reasons["no bound"] = 1200;
  EXPECT_THAT(summary_text({}, r), Not(HasSubstr("without a recorded reason")));
  r.skip_reasons.clear();
  EXPECT_THAT(summary_text({}, r), HasSubstr("skipped because:\n  (300 without"));
}

}  // namespace
}  // namespace ulpfuzz
