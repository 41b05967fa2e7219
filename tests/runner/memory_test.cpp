#include "memory.hpp"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstring>

#include "sanitizer.hpp"
#include "trial_subjects.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"

namespace ulpfuzz {
namespace {

using mutants::Scratch;
using mutants::staged;
using testing::HasSubstr;

constexpr std::uint64_t limit = 96;  // mebibytes
constexpr std::size_t some = 8 << 20;

void keep(char* memory, std::size_t bytes) {
  static char* volatile last = nullptr;
  last = memory;
  std::memset(last, 1, bytes);
}

void take_without_end(const Evaluation& e) {
  while (e.batch > 4) keep(new char[some], some);
}

void take_much_at_once(const Evaluation& e) {
  if (e.batch <= 4) return;
  static char* volatile last = nullptr;
  last = new char[std::size_t{1} << 34];
  *last = 1;  // and no more of it
}

/// As programs do that take malloc's word for it.
void take_unchecked(const Evaluation& e) {
  while (e.batch > 4) keep(static_cast<char*>(std::malloc(some)), some);
}

/// A process that no limit of its own holds: who started it has to look.
void take_beyond_the_limit(const Evaluation& e) {
  rlimit none{RLIM_INFINITY, RLIM_INFINITY};
  setrlimit(RLIMIT_DATA, &none);
  while (e.batch > 4) keep(new char[some], some);
}

Case with_batch(std::size_t least) {
  generators::Limits limits;
  limits.kind = generators::Limits::Kind::plain;
  for (std::uint64_t i = 0;; ++i) {
    Case c = generators::case_from_seed(3, i, limits);
    if (c.batch() > least) return c;
  }
}

Verdict verdict_of(mutants::Staged::Act act) {
  return judge_isolated(properties::batched_vs_sliced, with_batch(4),
                        mutants::Staged("staged", std::move(act)), {}, 30, {}, limit);
}

void expect_out_of_memory(const Verdict& v) {
  EXPECT_TRUE(v.failed());
  EXPECT_EQ(v.failure, FailureClass::out_of_memory) << v.reason;
  EXPECT_EQ(v.cause, "memory");
  EXPECT_THAT(v.reason, HasSubstr("memory"));
}

TEST(MemoryLimit, MakesAllocatingWithoutEndAFinding) {
  expect_out_of_memory(verdict_of(take_without_end));
  expect_out_of_memory(verdict_of(take_unchecked));
}

TEST(MemoryLimit, HoldsForMemoryThatIsNeverTouched) {
  if (process::is_sanitized()) GTEST_SKIP() << "the sanitizer's allocator takes what it wants";
  expect_out_of_memory(verdict_of(take_much_at_once));
}

TEST(MemoryLimit, HoldsForAProcessThatLiftsItsOwn) {
  const Verdict v = verdict_of(take_beyond_the_limit);
  expect_out_of_memory(v);
  EXPECT_THAT(v.reason, HasSubstr("took more than 96 MiB"));
}

TEST(MemoryLimit, IsNotReachedByWhatOnlyCrashes) {
  const Verdict v = verdict_of([](const Evaluation&) {
    keep(new char[some], some);
    raise(SIGSEGV);
  });
  EXPECT_EQ(v.failure, FailureClass::crash);
  EXPECT_EQ(v.cause, "sigsegv");
}

TEST(MemoryLimit, IsOnTopOfWhatTheProcessHadBefore) {
  const std::vector<char> ballast(3 * limit << 20, 1);
  const Verdict v = verdict_of([](const Evaluation&) {});
  EXPECT_FALSE(v.failed()) << v.reason;
}

TEST(MemoryLimit, NoneMeansNone) {
  const Verdict v = judge_isolated(
      properties::batched_vs_sliced, with_batch(4),
      mutants::Staged("staged",
                      [](const Evaluation&) {
                        const std::unique_ptr<char[]> much(new char[4 * limit << 20]);
                        std::memset(much.get(), 1, 4 * limit << 20);
                      }),
      {}, 30, {}, 0);
  EXPECT_FALSE(v.failed()) << v.reason;
}

TEST(MemoryLimit, ABadArrayLengthIsAnExceptionNotALackOfMemory) {
  const Verdict v = verdict_of([](const Evaluation&) { throw std::bad_array_new_length(); });
  EXPECT_EQ(v.failure, FailureClass::exception);
}

TEST(MemoryLimit, ShrinkingEndsWithinItsBudgetInTheSameClass) {
  GuardOptions options;
  options.evaluations = 12;
  options.seconds = 20;
  options.memory_limit = limit;
  options.isolate = ends_processes(FailureClass::out_of_memory);
  EXPECT_TRUE(options.isolate);
  const mutants::Staged subject("greedy", take_without_end);
  const ShrinkResult r =
      shrink_guarded(with_batch(4), properties::batched_vs_sliced, subject, options);
  EXPECT_EQ(r.verdict.failure, FailureClass::out_of_memory);
  EXPECT_GT(r.accepted, 0u);
  EXPECT_LE(r.evaluations, 12u + 4);
}

CampaignOptions limited(const Scratch& scratch, std::uint64_t cases) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.seed = 5;
  o.cases = cases;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 0;
  o.memory_limit = limit;
  return o;
}

TEST(MemoryLimit, OfACampaignGivesABucketOfItsOwnThatReplays) {
  const Scratch scratch;
  const Registry subjects = staged("greedy", [](const Evaluation& e) {
    if (e.batch % 16 == 5) take_without_end(e);
  });
  const CampaignResult r = run_campaign(limited(scratch, 60), subjects);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, 60u);
  ASSERT_EQ(r.buckets.size(), 1u);
  const Bucket& b = r.buckets.front();
  EXPECT_EQ(b.failure_class, "out_of_memory");
  EXPECT_EQ(b.id, "batched-vs-sliced-greedy-out-of-memory-memory");
  EXPECT_EQ(b.count, r.verdicts.at("fail"));
  EXPECT_EQ(b.reproduced, b.tried);
  EXPECT_GT(b.tried, 0u);
  EXPECT_THAT(mutants::content(account_of(b.case_file)), HasSubstr(" --memory 96M"));
  ReplayOptions options;
  options.memory_limit = limit;
  const ReplayedCase replayed = replay(b.case_file, options, subjects);
  expect_out_of_memory(replayed.rows.at(0).verdict);
}

TEST(MemoryLimit, IsNotBlamedOnOthersWhereASubjectLeaksALittle) {
  const Scratch scratch;
  Registry subjects = staged("leaking", [](const Evaluation&) { keep(new char[16384], 16384); });
  subjects.merge(staged("honest", [](auto&) {}));
  const CampaignResult r = run_campaign(limited(scratch, 4000), subjects);
  EXPECT_EQ(r.cases, 4000u);
  EXPECT_TRUE(r.buckets.empty()) << r.buckets.front().reason;
  EXPECT_EQ(r.exit_code(), 0);
}

}  // namespace
}  // namespace ulpfuzz
