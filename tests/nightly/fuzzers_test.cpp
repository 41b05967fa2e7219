#include <sys/stat.h>

#include <fstream>

#include "short_night.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::content;
using mutants::Scratch;

/// A script in the place of a libFuzzer target.
void write_target(const fs::path& folder, const std::string& script) {
  fs::create_directories(folder);
  const fs::path file = folder / "fuzz_batched_vs_sliced";
  std::ofstream(file) << "#!/bin/sh\n" << script;
  chmod(file.c_str(), 0755);
}

nightly::NightlyOptions night_with(const Scratch& scratch, const std::string& script) {
  write_target(scratch / "bin", script);
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops", "fault/neighbour_row"};
  o.fuzzers = scratch / "bin";
  return o;
}

/// A case on which the subject fails, as a target would write it down.
fs::path failing_case(const Scratch& scratch) {
  nightly::NightlyOptions o = short_night(scratch, "before");
  o.subjects = {"fault/neighbour_row"};
  o.corpus = scratch / "before-corpus";
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  return o.out / night.buckets.at(0).bucket.case_file;
}

TEST(NightlyFuzzers, AreToldWhatTheNightWantsOfThem) {
  const Scratch scratch;
  const nightly::NightlyOptions o =
      night_with(scratch, fmt::format("echo \"$ULPFUZZ_ON_FAILURE|$ULPFUZZ_SUBJECTS|$*\" > {}\n"
                                      "echo '{{\"executions\": 77}}' > \"$ULPFUZZ_STATISTICS\"\n",
                                      (scratch / "told").string()));
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  const std::string told = content(scratch / "told");
  EXPECT_NE(told.find("collect|loops fault/neighbour_row|"), std::string::npos) << told;
  EXPECT_NE(told.find("-runs=40 "), std::string::npos) << told;
  EXPECT_EQ(phase_of(night, "libFuzzer").cases, 77U);
  EXPECT_EQ(phase_of(night, "libFuzzer").state, report::Phase::State::done);
}

TEST(NightlyFuzzers, WhatTheyCollectIsRunAgainAndIsABucket) {
  const Scratch scratch;
  const fs::path failing = failing_case(scratch);
  nightly::NightlyOptions o =
      night_with(scratch, fmt::format("mkdir -p \"$ULPFUZZ_FINDINGS/some-bucket\"\n"
                                      "cp {} \"$ULPFUZZ_FINDINGS/some-bucket/0123.case.json\"\n",
                                      failing.string()));
  o.subjects = {"loops", "fault/neighbour_row"};
  o.cases = 1;  // random and search find nothing themselves
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 1);
  const report::NightBucket* b = bucket_with(night, "neighbour-row");
  ASSERT_NE(b, nullptr);
  EXPECT_GT(b->bucket.reproduced, 0U);
  EXPECT_TRUE(fs::exists(o.out / b->bucket.case_file));
}

TEST(NightlyFuzzers, OneThatDiesByItselfIsAnError) {
  const Scratch scratch;
  const report::Night night =
      nightly::run_nightly(night_with(scratch, "kill -SEGV $$\n"), usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("killed by signal 11"), std::string::npos)
      << night.errors.front();
}

TEST(NightlyFuzzers, ThePhaseSaysWhyItIsSkipped) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  o.fuzzers = scratch.path();
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(phase_of(night, "libFuzzer").state, report::Phase::State::skipped);
  EXPECT_NE(phase_of(night, "libFuzzer").note.find("fuzz_PROPERTY"), std::string::npos);
  EXPECT_EQ(night.exit_code, 0);
}

}  // namespace
}  // namespace ulpfuzz
