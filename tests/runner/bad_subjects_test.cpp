#include <gmock/gmock.h>

#include <algorithm>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/replay.hpp"

/// Subjects that do to their process what subjects do: each is a bucket, and nobody else suffers.
namespace ulpfuzz {
namespace {

using mutants::Scratch;

constexpr std::uint64_t memory_limit = 96;  // mebibytes: filled long before the case_timeout
constexpr double case_timeout = 1;          // seconds
constexpr std::uint64_t turns = 4;          // of each subject

struct Bad {
  const char* subject;
  const char* failure_class;
  const char* cause;
};

constexpr std::array bad_subjects{
    Bad{"fault/crashes_above_batch", "crash", "sigsegv"},
    Bad{"fault/hangs_above_batch", "hang", "timeout"},
    Bad{"fault/allocates_above_batch", "out_of_memory", "memory"},
    Bad{"fault/allocates_much_above_batch", "out_of_memory", "memory"},
    Bad{"fault/leaves_ftz_on", "fp_environment", "environment left changed"},
    Bad{"fault/overruns", "out_of_bounds", "overrun"},
    Bad{"fault/throws_above_batch", "exception", "exception"},
};

CampaignOptions all_of_them(const Scratch& scratch) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  for (const Bad& b : bad_subjects) o.subjects.emplace_back(b.subject);
  o.subjects.emplace_back("loops");
  o.seed = 7;
  o.cases = turns * o.subjects.size();
  o.jobs = 2;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.case_timeout = case_timeout;
  o.memory_limit = memory_limit;
  o.shrink_evaluations = 0;
  return o;
}

Registry everything() {
  Registry subjects = builtin_subjects();
  subjects.merge(planted_faults());
  return subjects;
}

void expect_replays(const Bucket& b) {
  ReplayOptions options;
  options.case_timeout = case_timeout;
  options.memory_limit = memory_limit;
  const ReplayedCase replayed = replay(b.case_file, options, everything());
  ASSERT_EQ(replayed.rows.size(), 1u);
  EXPECT_EQ(name(replayed.rows.front().verdict.failure), b.failure_class);
  EXPECT_EQ(replayed.content.notes.at("class"), b.failure_class);
}

TEST(BadSubjects, HaveABucketEachAndHarmNobody) {
  const Scratch scratch;
  const CampaignOptions o = all_of_them(scratch);
  const CampaignResult r = run_campaign(o, everything());
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, o.cases);
  EXPECT_TRUE(r.errors.empty()) << r.errors.front();
  EXPECT_EQ(r.buckets.size(), bad_subjects.size());
  for (const Bad& wanted : bad_subjects) {
    SCOPED_TRACE(wanted.subject);
    const auto b = std::find_if(r.buckets.begin(), r.buckets.end(),
                                [&](const Bucket& x) { return x.subject == wanted.subject; });
    ASSERT_NE(b, r.buckets.end());
    EXPECT_EQ(b->failure_class, wanted.failure_class);
    EXPECT_EQ(b->cause, wanted.cause);
    EXPECT_GT(b->reproduced, 0u);
    expect_replays(*b);
  }
  const auto loops = std::find_if(r.pairs.begin(), r.pairs.end(),
                                  [](const PairCounts& p) { return p.subject == "loops"; });
  ASSERT_NE(loops, r.pairs.end());
  EXPECT_EQ(loops->cases, turns);
  EXPECT_EQ(loops->fail, 0u);
  EXPECT_GT(loops->pass, 0u);
}

}  // namespace
}  // namespace ulpfuzz
