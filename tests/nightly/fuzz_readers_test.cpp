#include <unistd.h>

#include "fuzzer_findings.hpp"
#include "short_night.hpp"
#include "stand_in_target.hpp"
#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::fuzz_readers_test {
namespace {

namespace fs = std::filesystem;
using mutants::content;
using mutants::Scratch;

constexpr const char* id = "reader-npy-crash-reader-array-loses";

/// libFuzzer keeps what ended it, and ends with 77.
const StandIn crashes{.fuzz =
                          "echo bytes > ${artifacts}crash-abc\n"
                          "echo 'DEDUP_TOKEN: reader/array loses'; exit 77",
                      .run = "exit 77"};

nightly::NightlyOptions reading_night(const Scratch& scratch, const StandIn& reader,
                                      const std::string& name = "night") {
  put_target(scratch / "bin", "batched_vs_sliced", {});
  put_target(scratch / "bin", "npy", reader);
  nightly::NightlyOptions o = short_night(scratch, name);
  o.subjects = {"loops"};
  o.fuzzers = scratch / "bin";
  return o;
}

TEST(NightlyReaders, ACrashIsABucketWithItsInput) {
  const Scratch scratch;
  nightly::NightlyOptions o = reading_night(scratch, crashes);
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 1);
  EXPECT_TRUE(night.errors.empty());
  ASSERT_EQ(night.buckets.size(), 1U);
  const Bucket& b = night.buckets[0].bucket;
  EXPECT_EQ(b.id, id);
  EXPECT_EQ(b.failure_class, "crash");
  EXPECT_EQ(b.reproduced, 1U);
  EXPECT_NE(b.reason.find("findings/" + b.id + "/crash-abc"), std::string::npos) << b.reason;
  EXPECT_EQ(content(o.out / "findings" / b.id / "crash-abc"), "bytes\n");
  EXPECT_NE(content(o.out / "findings" / b.id / "log").find("array loses"), std::string::npos);
  expect_reports(o.out);
  EXPECT_NE(content(o.out / "index.html").find(id), std::string::npos);
  // The next night knows it, and the list of known ones keeps it quiet.
  std::ofstream(o.corpus / "known.json")
      << R"({"schema": 1, "known": [{"bucket": "reader-npy-*", "owner": "Ann", "until": "2999-01-01"}]})";
  nightly::NightlyOptions after = reading_night(scratch, crashes, "next");
  after.seed = o.seed + 1;  // of one seed and second it would be the same night, published again
  const report::Night next = nightly::run_nightly(after, usual_subjects());
  ASSERT_EQ(next.buckets.size(), 1U);
  EXPECT_EQ(next.buckets[0].nights, 2U);
  EXPECT_EQ(next.buckets[0].state, report::BucketState::known);
  EXPECT_EQ(next.exit_code, 0);
}

TEST(NightlyReaders, ACrashThatIsNotSeenAgainIsFlaky) {
  const Scratch scratch;
  StandIn once = crashes;
  once.run = "exit 0";
  nightly::NightlyOptions o = reading_night(scratch, once);
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 6);
  EXPECT_TRUE(fs::exists(o.out / "findings-flaky" / id / "crash-abc"));
}

/// The target in `home` ends with an input.
void ends(nightly::Session& session, const fs::path& home, const char* input) {
  fs::create_directories(home);
  std::ofstream(home / input) << "bytes";
  std::ofstream(home / "log") << "DEDUP_TOKEN: reader/array loses\n";
  const nightly::Fuzzers fuzzers(session);
  look_at_left(session, fuzzers);
}

TEST(NightlyReaders, AFolderHoldsAllThatItsBucketFoundWhicheverFailedAgain) {
  const Scratch scratch;
  StandIn sometimes = crashes;
  sometimes.run = "case $file in *crash-yes) exit 77;; esac";
  nightly::NightlyOptions o = reading_night(scratch, sometimes);
  const Registry subjects = usual_subjects();
  nightly::Session session(o, subjects);
  ends(session, o.out / "parts/06-libFuzzer/fuzz_npy-1", "crash-no");
  EXPECT_TRUE(fs::exists(o.out / "findings-flaky" / id / "crash-no"));
  ends(session, o.out / "parts/06-libFuzzer.2/fuzz_npy-1", "crash-yes");
  ends(session, o.out / "parts/06-libFuzzer.3/fuzz_npy-1", "crash-again-no");
  for (const char* input : {"crash-no", "crash-yes", "crash-again-no"})
    EXPECT_TRUE(fs::exists(o.out / "findings" / id / input)) << input;
  EXPECT_FALSE(fs::exists(o.out / "findings-flaky" / id));
  ASSERT_EQ(session.night().buckets.size(), 1U);
  const Bucket& b = session.night().buckets[0].bucket;
  EXPECT_FALSE(b.flaky);
  EXPECT_NE(b.reason.find("/crash-yes"), std::string::npos) << b.reason;
}

TEST(NightlyReaders, AStopOfTheNightIsNoSecondFailure) {
  const Scratch scratch;
  StandIn stopped = crashes;
  stopped.run = fmt::format("kill -TERM {}; exec sleep 60", getpid());
  nightly::NightlyOptions o = reading_night(scratch, stopped);
  const Registry subjects = usual_subjects();
  nightly::Session session(o, subjects);
  const fs::path home = o.out / "parts/06-libFuzzer/fuzz_npy-1";
  ends(session, home, "crash-abc");
  EXPECT_TRUE(session.stopping());
  EXPECT_TRUE(session.night().buckets.empty());
  EXPECT_FALSE(fs::exists(home / "ending")) << "--resume looks at it";
  EXPECT_NE(session.phase("libFuzzer").note.find("fuzz_npy-1"), std::string::npos);
}

TEST(NightlyReaders, OneThatEndsWithoutAnInputIsAnError) {
  const Scratch scratch;
  const report::Night night =
      nightly::run_nightly(reading_night(scratch, {.fuzz = "exit 1"}), usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
}

TEST(NightlyReaders, OneThatIsToldToEndIsNone) {
  const Scratch scratch;
  const report::Night night =
      nightly::run_nightly(reading_night(scratch, {.fuzz = "exit 72"}), usual_subjects());
  EXPECT_EQ(night.exit_code, 0) << "libFuzzer's code after SIGTERM, which a cluster sends to all";
}

TEST(NightlyReaders, ReadTheirSeedsAndDictionaryOfTheBuild) {
  const Scratch scratch;
  fs::create_directories(scratch / "fuzz/seeds/npy");
  std::ofstream(scratch / "fuzz/seeds/npy/0") << "a seed";
  const std::string told = (scratch / "told").string();
  nightly::NightlyOptions o = reading_night(
      scratch,
      {.fuzz = fmt::format(
           "echo $line > {}; cat $begin/* >> {}; echo stat::number_of_executed_units: 4321", told,
           told)});
  std::ofstream(scratch / "bin/fuzz_npy.dict") << "\"word\"\n";
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  const std::string line = content(told);
  EXPECT_NE(line.find("-dict=" + (scratch / "bin/fuzz_npy.dict").string()), std::string::npos);
  EXPECT_NE(line.find("a seed"), std::string::npos) << line;
  EXPECT_NE(phase_of(night, "libFuzzer").note.find("4321 inputs"), std::string::npos);
  EXPECT_EQ(phase_of(night, "libFuzzer").cases, 1U) << "of the other: what readers take are none";
}

TEST(NightlyReaders, WhatAKilledNightDidNotLookAtIsLookedAt) {
  const Scratch scratch;
  nightly::NightlyOptions o = reading_night(scratch, crashes);
  const Registry subjects = usual_subjects();
  nightly::Session session(o, subjects);
  const fs::path home = o.out / "parts/06-libFuzzer/fuzz_npy-1";
  fs::create_directories(home);
  std::ofstream(home / "crash-abc") << "bytes";
  fs::create_directories(home / "../found/fuzz_npy");
  std::ofstream(home / "../found/fuzz_npy/kept") << "kept";
  std::ofstream(home / "log") << "DEDUP_TOKEN: reader/array loses\n";
  const nightly::Fuzzers fuzzers(session);
  look_at_left(session, fuzzers);
  ASSERT_EQ(session.night().buckets.size(), 1U);
  EXPECT_EQ(session.night().buckets[0].bucket.id, id);
  EXPECT_EQ(content(o.out / "fuzzing/fuzz_npy/kept"), "kept");
  look_at_left(session, fuzzers);
  EXPECT_EQ(session.night().buckets[0].bucket.count, 1U) << "once";
}

}  // namespace
}  // namespace ulpfuzz::fuzz_readers_test
