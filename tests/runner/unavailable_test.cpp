#include "unavailable.hpp"

#include <gmock/gmock.h>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Absent final : public Subject {
 public:
  explicit Absent(std::string name) : name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::optional<std::string> unavailable() const override { return "no CUDA device"; }
  void evaluate(const Evaluation&) const override { throw std::logic_error("evaluated"); }

 private:
  std::string name_;
};

Registry with_absent() {
  Registry all = builtin_subjects();
  all.add(std::make_unique<Absent>("absent/one"));
  all.add(std::make_unique<Absent>("absent/two"));
  return all;
}

CampaignOptions partial_campaign(const Scratch& scratch, std::vector<std::string> subjects) {
  CampaignOptions o;
  o.subjects = std::move(subjects);
  o.properties = {"batched_vs_sliced"};
  o.cases = 20;
  o.out = scratch / "out";
  return o;
}

TEST(Unavailable, SubjectsOfOneKindAndReasonAreOneLine) {
  EXPECT_THAT(
      unavailable_lines({{"cuda/a", "none"},
                         {"cuda/b", "none"},
                         {"cuda/c", "old"},
                         {"openblas", "lost"},
                         {"simt/x", "none"}}),
      ElementsAre("cuda/* (2 subjects): none", "cuda/c: old", "openblas: lost", "simt/x: none"));
}

TEST(Unavailable, ByGlobItIsLeftOutAndTold) {
  const Scratch scratch;
  const CampaignOptions o = partial_campaign(scratch, {"loops", "absent/*"});
  const CampaignResult r = run_campaign(o, with_absent());
  EXPECT_EQ(r.exit_code(), 0);
  EXPECT_EQ(r.unavailable.size(), 2u);
  EXPECT_THAT(summary_text(o, r),
              HasSubstr("not available: absent/* (2 subjects): no CUDA device"));
}

TEST(Unavailable, ByDefaultItIsLeftOut) {
  const Scratch scratch;
  const CampaignResult r = run_campaign(partial_campaign(scratch, {}), with_absent());
  EXPECT_EQ(r.unavailable.count("absent/one"), 1u);
  EXPECT_EQ(r.unavailable.count("absent/two"), 1u);
}

TEST(Unavailable, ByItsNameItIsAnErrorThoughTheOthersRun) {
  const Scratch scratch;
  const CampaignResult r =
      run_campaign(partial_campaign(scratch, {"loops", "absent/two"}), with_absent());
  EXPECT_EQ(r.exit_code(), 4);
  EXPECT_EQ(r.cases, 20u);
  EXPECT_THAT(r.errors, ElementsAre(HasSubstr("absent/two is not available: no CUDA device")));
}

TEST(Unavailable, AGlobOfSuchSubjectsAloneIsTooLittle) {
  const Scratch scratch;
  const CampaignResult r = run_campaign(partial_campaign(scratch, {"absent/*"}), with_absent());
  EXPECT_EQ(r.exit_code(), 5);
  EXPECT_THAT(r.too_little(), HasSubstr("none of the chosen subjects is available"));
}

TEST(Unavailable, ReplayShowsNoRowsOfWhatAGlobMatched) {
  const Scratch scratch;
  write_case(scratch / "c.case.json", {generators::case_from_seed(1, 1), {}});
  ReplayOptions o;
  o.subjects = {"loops", "absent/o*", "absent/two"};
  o.properties = {"batched_vs_sliced"};
  const ReplayedCase r = replay(scratch / "c.case.json", o, with_absent());
  ASSERT_EQ(r.rows.size(), 2u);
  EXPECT_EQ(r.rows[0].subject, "loops");
  EXPECT_EQ(r.rows[1].subject, "absent/two");
  EXPECT_EQ(r.rows[1].verdict.outcome, Outcome::skip);
  EXPECT_EQ(r.unavailable.size(), 2u);
  EXPECT_THAT(to_text(r), HasSubstr("not available: absent/* (2 subjects): no CUDA device"));
  EXPECT_THAT(to_text(r), Not(HasSubstr("absent/one")));
}

}  // namespace
}  // namespace ulpfuzz
