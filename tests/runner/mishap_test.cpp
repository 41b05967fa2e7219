#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::only;
using mutants::Scratch;
using mutants::staged;
using testing::HasSubstr;

CampaignOptions with_mishaps(const Scratch& scratch, std::uint64_t cases) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.seed = 5;
  o.cases = cases;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 60;
  return o;
}

const Bucket* bucket_of(const CampaignResult& r, const std::string& failure_class) {
  for (const Bucket& b : r.buckets)
    if (b.failure_class == failure_class) return &b;
  return nullptr;
}

TEST(Mishap, ACrashIsAFindingAndTheCampaignGoesOn) {
  const Scratch scratch;
  const Registry subjects = staged("crashing", [](const Evaluation& e) {
    if (e.batch % 8 == 5) raise(SIGSEGV);
  });
  const CampaignResult r = run_campaign(with_mishaps(scratch, 80), subjects);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, 80);
  EXPECT_GT(r.verdicts.at("pass"), 0);
  const Bucket* b = bucket_of(r, "crash");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->cause, "sigsegv");
  EXPECT_THAT(b->reason, HasSubstr("SIGSEGV"));
  EXPECT_EQ(b->count, r.verdicts.at("fail"));
  ASSERT_TRUE(std::filesystem::exists(b->case_file));
  const ReplayedCase replayed = replay(b->case_file, {}, subjects);
  EXPECT_EQ(replayed.rows.at(0).verdict.failure, FailureClass::crash);
}

TEST(Mishap, ASubjectThatEndsTheProcessIsACrash) {
  const Scratch scratch;
  const CampaignResult r =
      run_campaign(with_mishaps(scratch, 30), staged("leaving", [](const Evaluation& e) {
                     if (e.batch > 40) _exit(0);
                   }));
  const Bucket* b = bucket_of(r, "crash");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->cause, "exit 0");
  EXPECT_EQ(r.cases, 30);
}

TEST(Mishap, AHangIsAFindingAndTheCampaignGoesOn) {
  const Scratch scratch;
  CampaignOptions o = with_mishaps(scratch, 30);
  o.case_timeout = 0.4;
  o.shrink_evaluations = 3;
  const CampaignResult r =
      run_campaign(o, staged("hanging", [](const Evaluation& e) {
                     while (e.batch > 60)
                       std::this_thread::sleep_for(std::chrono::milliseconds(10));
                   }));
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, 30);
  const Bucket* b = bucket_of(r, "hang");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->reproduced, b->tried);
  EXPECT_TRUE(std::filesystem::exists(b->case_file));
}

TEST(Mishap, ASubjectThatHangsDoesNotDelayARequestToStop) {
  const Scratch scratch;
  CampaignOptions o = with_mishaps(scratch, 0);
  o.seconds = 600;
  o.case_timeout = 600;
  std::thread impatient([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    kill(getpid(), SIGHUP);
  });
  const CampaignResult r = run_campaign(o, staged("hanging", [](const Evaluation&) {
                                          std::this_thread::sleep_for(std::chrono::hours(1));
                                        }));
  impatient.join();
  EXPECT_LT(r.seconds, 5);
  EXPECT_TRUE(r.interrupted);
  EXPECT_TRUE(r.buckets.empty());
  EXPECT_THAT(content(o.out / "summary.json"), HasSubstr("\"running\": false"));
}

TEST(Mishap, ACaseTooLargeToComputeIsRefused) {
  const Scratch scratch;
  CaseFile file{generators::case_from_seed(1, 1), {}};
  file.value.split.front().padding = 4'000'000'000;
  write_case(scratch / "large.case", file);
  ReplayOptions options;
  options.properties = {"batched_vs_sliced"};
  try {
    replay(scratch / "large.case", options, staged("honest", [](auto&) {}));
    FAIL() << "four billion rows were accepted";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("large.case"));
  }
}

TEST(Mishap, AnExceptionIsAFinding) {
  const Scratch scratch;
  const CampaignResult r =
      run_campaign(with_mishaps(scratch, 20), staged("throwing", [](const Evaluation& e) {
                     if (e.batch > 4) throw std::runtime_error("no memory for tiles");
                   }));
  EXPECT_EQ(r.exit_code(), 1);
  const Bucket* b = bucket_of(r, "exception");
  ASSERT_NE(b, nullptr);
  EXPECT_THAT(b->reason, HasSubstr("no memory for tiles"));
}

TEST(Mishap, UnwrittenOutputIsAFinding) {
  const Scratch scratch;
  const CampaignResult r =
      run_campaign(with_mishaps(scratch, 20), only(std::make_unique<mutants::Unwritten>()));
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_NE(bucket_of(r, "unwritten"), nullptr);
}

TEST(Mishap, WhatNeverHappensAgainIsFlaky) {
  const Scratch scratch;
  const pid_t campaign = getpid();
  // Dies only in a worker, as one does that is killed from outside, not in a run of confirmation.
  const CampaignResult r =
      run_campaign(with_mishaps(scratch, 40), staged("killed", [campaign](const Evaluation& e) {
                     if (e.batch > 50 && getppid() == campaign) raise(SIGKILL);
                   }));
  EXPECT_EQ(r.exit_code(), 6);
  EXPECT_EQ(r.cases, 40);
  const Bucket* b = bucket_of(r, "crash");
  ASSERT_NE(b, nullptr);
  EXPECT_TRUE(b->flaky);
  EXPECT_EQ(b->cause, "sigkill");
  EXPECT_THAT(b->case_file.string(), HasSubstr("findings-flaky"));
  EXPECT_TRUE(std::filesystem::exists(b->case_file));
  EXPECT_FALSE(std::filesystem::exists(scratch / "out" / "findings" / b->id));
}

TEST(Mishap, AFolderThatTurnsUnwritableIsReportedAndTheFindingToo) {
  const Scratch scratch;
  CampaignOptions o = with_mishaps(scratch, 40);
  std::string said;
  o.report = [&said](const std::string& line) { said += line + "\n"; };
  // A file where the folder of findings should be: as final as a full disk, also for root.
  std::filesystem::create_directories(o.out);
  std::ofstream(o.out / "findings") << "in the way";
  const CampaignResult r = run_campaign(o, only(std::make_unique<mutants::DropsLast>()));
  EXPECT_EQ(r.exit_code(), 4);
  EXPECT_EQ(r.cases, 40);
  ASSERT_FALSE(r.errors.empty());
  ASSERT_FALSE(r.buckets.empty());
  EXPECT_THAT(said, HasSubstr("ulpfuzz run --seed 5 --index"));
  EXPECT_THAT(content(o.out / "summary.json"), HasSubstr("\"exit_code\": 4"));
}

TEST(Mishap, LeavesNoChildBehind) {
  const Scratch scratch;
  CampaignOptions o = with_mishaps(scratch, 40);
  o.jobs = 3;
  run_campaign(o, staged("crashing", [](const Evaluation& e) {
                 if (e.batch == 7) raise(SIGABRT);
               }));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace ulpfuzz
