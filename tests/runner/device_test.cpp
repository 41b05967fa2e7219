#include <gmock/gmock.h>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"

namespace ulpfuzz {
namespace {

using mutants::DeviceLike;
using mutants::only;
using mutants::Scratch;
using testing::HasSubstr;

constexpr const char* illegal = "device error cudaErrorIllegalAddress";

CampaignOptions on_device(const Scratch& scratch, std::uint64_t cases) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.seed = 5;
  o.cases = cases;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 200;
  o.shrink_seconds = 5;
  return o;
}

std::unique_ptr<const Subject> breaking(DeviceLike::Breaks breaks) {
  return std::make_unique<DeviceLike>("device", std::move(breaks));
}

bool five_of_eight(const Evaluation& e) { return e.batch % 8 == 5; }
bool always(const Evaluation&) { return true; }

/// The first case of the seed that the subject fails on, in a process of its own.
Case failing_case(const Subject& subject) {
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Case c = generators::case_from_seed(5, i, on_device(Scratch(), 0).limits);
    if (judge_isolated(properties::batched_vs_sliced, c, subject, {}).failed()) return c;
  }
  throw std::runtime_error("no case fails");
}

TEST(Device, AFailureIsConfirmedAndShrunkWhereNoForkOfAWorkerWouldWork) {
  const Scratch scratch;
  CampaignOptions o = on_device(scratch, 60);
  o.jobs = 2;
  const Registry subjects =
      only(std::make_unique<DeviceLike>("device", DeviceLike::Breaks{}, true));
  const CampaignResult r = run_campaign(o, subjects);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, 60);
  EXPECT_THAT(r.errors, testing::IsEmpty());
  ASSERT_FALSE(r.buckets.empty());
  for (const Bucket& b : r.buckets) {
    EXPECT_EQ(b.failure_class, "beyond_bound") << b.reason;
    EXPECT_GT(b.tried, 0u);
    EXPECT_EQ(b.reproduced, b.tried) << b.id;
    EXPECT_THAT(b.case_file.string(), HasSubstr("minimal.case.json"));
  }
  ReplayOptions often;
  often.times = 3;
  const ReplayedCase again = replay(r.buckets[0].case_file, often, subjects);
  EXPECT_EQ(again.rows.at(0).verdict.failure, FailureClass::beyond_bound);
  EXPECT_TRUE(again.rows.at(0).repeatable);
}

TEST(Device, AStickyErrorIsAFindingAndTheCampaignGoesOnInAFreshProcess) {
  const Scratch scratch;
  const Registry subjects = only(breaking(five_of_eight));
  const CampaignResult r = run_campaign(on_device(scratch, 80), subjects);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, 80);
  EXPECT_GT(r.verdicts.at("pass"), 40u) << "a broken process judged more cases";
  EXPECT_THAT(r.errors, testing::IsEmpty());
  EXPECT_THAT(r.stopped, testing::IsEmpty());
  ASSERT_EQ(r.buckets.size(), 1u);
  const Bucket& b = r.buckets[0];
  EXPECT_EQ(b.failure_class, "exception");
  EXPECT_EQ(b.cause, illegal);
  EXPECT_EQ(b.count, r.verdicts.at("fail"));
  EXPECT_GT(b.count, 3u) << "no failure came without being kept";
  EXPECT_EQ(b.tried, 9u);
  EXPECT_EQ(b.reproduced, b.tried);
  const CaseFile minimal = read_case(scratch / "out" / "findings" / b.id / "minimal.case.json");
  EXPECT_EQ(minimal.notes.at("cause"), illegal);
  EXPECT_EQ(minimal.value.batch() % 8, 5u);
}

TEST(Device, AStickyErrorReplaysInAProcessForEachRun) {
  const Scratch scratch;
  const Registry subjects = only(breaking(five_of_eight));
  write_case(scratch / "c.case.json", {failing_case(*subjects.all()[0]), {}});
  ReplayOptions o;
  o.properties = {"batched_vs_sliced"};
  o.times = 4;
  const ReplayRow row = replay(scratch / "c.case.json", o, subjects).rows.at(0);
  EXPECT_EQ(row.verdict.failure, FailureClass::exception);
  EXPECT_EQ(row.verdict.cause, illegal);
  EXPECT_THAT(row.verdict.reason, testing::Not(HasSubstr("as before")));
  EXPECT_TRUE(row.repeatable);
}

TEST(Device, AStickyErrorIsShrunkWithAProcessForEachCandidate) {
  const auto subject = breaking(five_of_eight);
  const Case c = failing_case(*subject);
  GuardOptions o;
  o.evaluations = 400;
  const ShrinkResult r = shrink_guarded(c, properties::batched_vs_sliced, *subject, o);
  EXPECT_EQ(r.verdict.cause, illegal);
  EXPECT_GT(r.accepted, 0u);
  EXPECT_LT(r.value.batch() * r.value.parameters.size(), c.batch() * c.parameters.size());
  EXPECT_TRUE(judge_isolated(properties::batched_vs_sliced, r.value, *subject, {}).failed())
      << "a candidate was accepted for the error of another";
}

TEST(Device, ABrokenProcessShrinksNothingMore) {
  const auto subject = breaking(five_of_eight);
  const Case c = failing_case(*subject);
  CheckContext context;
  ShrinkOptions o;
  o.broken = [&] { return subject->broken(); };
  const ShrinkResult r = shrink(
      c,
      [&](const Case& x) { return judge(properties::batched_vs_sliced, x, *subject, {}, context); },
      o);
  EXPECT_EQ(r.stop, ShrinkStop::broken);
  EXPECT_EQ(r.evaluations, 1u);
  EXPECT_TRUE(identical(r.value, c));
}

TEST(Device, ASubjectThatBreaksWithEveryCaseIsStopped) {
  const Scratch scratch;
  CampaignOptions o = on_device(scratch, 0);
  o.seconds = 300;
  const CampaignResult r = run_campaign(o, only(breaking(always)));
  EXPECT_EQ(r.cases, 20u);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_LT(r.seconds, 100);
  ASSERT_EQ(r.stopped.count("device"), 1u);
  EXPECT_THAT(r.stopped.at("device"), HasSubstr("20 cases"));
}

TEST(Device, OthersGoOnWhenASubjectIsStopped) {
  const Scratch scratch;
  Registry subjects = only(
      std::make_unique<mutants::Staged>("crashing", [](const Evaluation&) { raise(SIGSEGV); }));
  subjects.add(std::make_unique<mutants::Staged>("honest", [](const Evaluation&) {}));
  const CampaignResult r = run_campaign(on_device(scratch, 200), subjects);
  ASSERT_EQ(r.pairs.size(), 2u);
  EXPECT_EQ(r.pairs[0].fail, 20u);
  EXPECT_EQ(r.pairs[0].cases, 20u);
  EXPECT_EQ(r.pairs[1].cases, 100u);
  EXPECT_EQ(r.stopped.count("crashing"), 1u);
  EXPECT_EQ(r.stopped.count("honest"), 0u);
}

TEST(Device, WhatBreaksNowAndThenIsNotStopped) {
  const Scratch scratch;
  CampaignOptions o = on_device(scratch, 300);
  o.shrink_evaluations = 0;
  const CampaignResult r =
      run_campaign(o, only(breaking([](const Evaluation& e) { return e.batch % 4 == 3; })));
  EXPECT_GT(r.verdicts.at("fail"), 40u);
  EXPECT_GT(r.verdicts.at("pass"), 5u);
  EXPECT_EQ(r.cases, 300u);
  EXPECT_THAT(r.stopped, testing::IsEmpty());
}

/// Breaks without a word.
class Silent final : public KernelSubject {
 public:
  std::string_view name() const override { return "silent"; }
  bool broken() const override { return true; }
};

TEST(Device, WhatIsBrokenAfterwardsHasFailed) {
  const Case c = generators::case_from_seed(5, 0, on_device(Scratch(), 0).limits);
  CheckContext context;
  const Verdict v = judge(properties::batched_vs_sliced, c, Silent(), {}, context);
  EXPECT_EQ(v.failure, FailureClass::exception);
  EXPECT_EQ(v.cause, "device error");
  EXPECT_THAT(v.reason, HasSubstr("silent is unusable"));
}

TEST(Device, ErrorsOfTheDeviceAreNamedThoughNothingIsBroken) {
  const auto failing_with = [](const char* what) {
    const mutants::Staged subject("s", [&](const Evaluation&) { throw std::runtime_error(what); });
    CheckContext context;
    const Case c = generators::case_from_seed(5, 0, on_device(Scratch(), 0).limits);
    return judge(properties::batched_vs_sliced, c, subject, {}, context).cause;
  };
  EXPECT_EQ(failing_with("cublasSgemm: CUBLAS_STATUS_NOT_SUPPORTED"),
            "device error CUBLAS_STATUS_NOT_SUPPORTED");
  EXPECT_EQ(failing_with("cudaMalloc: cudaErrorMemoryAllocation (out of memory)"),
            "device error cudaErrorMemoryAllocation");
  EXPECT_EQ(failing_with("no memory for tiles"), "exception");
}

}  // namespace
}  // namespace ulpfuzz
