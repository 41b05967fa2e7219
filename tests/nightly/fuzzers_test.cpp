#include "fuzzers.hpp"

#include "night_process.hpp"
#include "short_night.hpp"
#include "stand_in_target.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::fuzzers_test {
namespace {

namespace fs = std::filesystem;
using mutants::content;
using mutants::Scratch;

nightly::NightlyOptions night_with(const Scratch& scratch, const StandIn& target) {
  put_target(scratch / "bin", "batched_vs_sliced", target);
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

std::string writes_down(const fs::path& case_file) {
  return fmt::format(
      "mkdir -p $ULPFUZZ_FINDINGS/some-bucket\n"
      "cp {} $ULPFUZZ_FINDINGS/some-bucket/{}.case.json\n",
      case_file.string(), content_hash(read_case(case_file).value));
}

TEST(NightlyFuzzers, AreToldWhatTheNightWantsOfThem) {
  const Scratch scratch;
  const nightly::NightlyOptions o = night_with(
      scratch, {.fuzz = fmt::format("echo \"$ULPFUZZ_ON_FAILURE|$ULPFUZZ_SUBJECTS|$line\" > {}\n"
                                    "echo '{{\"executions\": 77}}' > $ULPFUZZ_STATISTICS",
                                    (scratch / "told").string())});
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
  nightly::NightlyOptions o = night_with(scratch, {.fuzz = writes_down(failing)});
  o.cases = 1;  // random and search find nothing themselves
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 1);
  const report::NightBucket* b = bucket_with(night, "neighbour-row");
  ASSERT_NE(b, nullptr);
  EXPECT_GT(b->bucket.reproduced, 0U);
  EXPECT_TRUE(fs::exists(o.out / b->bucket.case_file));
  EXPECT_EQ(night.buckets.size(), 1U) << "not of the name that the target gave it, too";
}

TEST(NightlyFuzzers, WhatNeverFailsAgainIsFlakyAndNotLost) {
  const Scratch scratch;
  const fs::path file = scratch / "passes.case.json";
  CaseFile passes{generators::case_from_seed(1, 2), {}};
  passes.notes = {{"property", "batched_vs_sliced"},
                  {"subject", "loops"},
                  {"class", "beyond_bound"},
                  {"cause", "row leak"}};
  write_case(file, passes);
  nightly::NightlyOptions o = night_with(scratch, {.fuzz = writes_down(file)});
  o.subjects = {"loops"};
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 6);
  ASSERT_EQ(night.buckets.size(), 1U);
  EXPECT_EQ(night.buckets[0].bucket.id, "some-bucket");
  EXPECT_EQ(night.buckets[0].bucket.tried, 1U);
  EXPECT_TRUE(fs::exists(o.out / "findings-flaky/some-bucket" /
                         (content_hash(passes.value) + ".case.json")));
}

TEST(NightlyFuzzers, OneThatDiesByItselfIsAnError) {
  const Scratch scratch;
  const report::Night night =
      nightly::run_nightly(night_with(scratch, {.fuzz = "kill -SEGV $$"}), usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("killed by signal 11"), std::string::npos)
      << night.errors.front();
}

/// A night in the midst of its work, for a single turn.
struct Turn {
  explicit Turn(nightly::NightlyOptions o) : options(by_time(std::move(o))) {}
  static nightly::NightlyOptions by_time(nightly::NightlyOptions o) {
    o.cases = 0;
    o.seconds = 1000;
    return o;
  }
  nightly::NightlyOptions options;
  Registry subjects = usual_subjects();
  nightly::Session session{options, subjects};
  nightly::Fuzzers fuzzers{session};
};

TEST(NightlyFuzzers, ATurnEndsAtItsTime) {
  const Scratch scratch;
  Turn t(night_with(scratch, {.fuzz = "echo '{\"executions\": 5}' > $ULPFUZZ_STATISTICS\n"
                                      "echo found > $corpus/abc; exec sleep 60"}));
  const double seconds = seconds_of([&] { EXPECT_EQ(t.fuzzers.turn(t.session, 1, 0), 1U); });
  EXPECT_GE(seconds, 1);
  EXPECT_LT(seconds, 2.5);
  EXPECT_EQ(t.session.phase("libFuzzer").cases, 5U);
  EXPECT_TRUE(t.session.night().errors.empty());
}

TEST(NightlyFuzzers, OneThatDoesNotListenIsKilledAndItsFindingsCount) {
  const Scratch scratch;
  const fs::path failing = failing_case(scratch);
  Turn t(night_with(scratch,
                    {.fuzz = writes_down(failing) + "trap '' TERM; while :; do sleep 60; done"}));
  const double seconds = seconds_of([&] { t.fuzzers.turn(t.session, 1, 0); });
  EXPECT_GE(seconds, 3) << "two seconds of grace";
  const report::Night& night = t.session.night();
  EXPECT_LT(t.session.phase("libFuzzer").seconds, 15);
  EXPECT_TRUE(night.errors.empty());
  const report::NightBucket* b = bucket_with(night, "neighbour-row");
  ASSERT_NE(b, nullptr);
  EXPECT_GT(b->bucket.reproduced, 0U);
}

TEST(NightlyFuzzers, ThoseThatWaitHaveTheNextTurnAndReadersOneInFive) {
  const Scratch scratch;
  const StandIn said{.fuzz = fmt::format("echo $0 >> {}", (scratch / "order").string())};
  for (const char* name : {"loop_vs_vectorized", "npy"}) put_target(scratch / "bin", name, said);
  nightly::NightlyOptions o = night_with(scratch, said);
  o.properties.clear();
  Turn t(o);
  for (int i = 0; i < 6; ++i) t.fuzzers.turn(t.session, 1, 0);
  std::string order;
  std::istringstream lines(content(scratch / "order"));
  for (std::string line; std::getline(lines, line);) order += line.at(line.rfind('/') + 6);
  EXPECT_EQ(order, "blnblb") << "n: the reader";
}

void put_inputs(const fs::path& folder, int n) {
  fs::create_directories(folder);
  for (int i = 0; i < n; ++i) std::ofstream(folder / std::to_string(i)) << "input";
}

TEST(NightlyFuzzers, BeginWithWhatAThirdOfTheTurnCanRead) {
  const Scratch scratch;
  const std::string read = (scratch / "read").string();
  Turn t(night_with(scratch, {.fuzz = "echo '{\"executions\": 200}' > $ULPFUZZ_STATISTICS\n"
                                      "ls $begin | wc -l >> " +
                                      read}));
  put_inputs(t.options.corpus / "fuzzing/fuzz_batched_vs_sliced", 500);
  put_inputs(t.options.corpus / "distilled", 5);  // nobody's
  t.fuzzers.turn(t.session, 2, 0);
  put_inputs(t.options.out / "fuzzing/fuzz_batched_vs_sliced", 3);
  t.fuzzers.turn(t.session, 6, 0);
  EXPECT_EQ(content(read), "16\n200\n") << "the least, then a third of six seconds at 100 a second";
}

TEST(NightlyFuzzers, ATurnIsLongEnoughForTheSlowest) {
  const Scratch scratch;
  Turn t(night_with(scratch, {.fuzz = "echo '{\"executions\": 5}' > $ULPFUZZ_STATISTICS"}));
  EXPECT_DOUBLE_EQ(t.fuzzers.least_turn(), 5);
  t.fuzzers.turn(t.session, 2, 0);
  EXPECT_NEAR(t.fuzzers.least_turn(), 19.2, 0.01) << "three times 16 inputs at 2.5 a second";
}

TEST(NightlyFuzzers, OneThatEndsEarlySaysNothingOfItsSpeed) {
  const Scratch scratch;
  Turn t(night_with(scratch, {.fuzz = "exit 77"}));
  t.fuzzers.turn(t.session, 30, 0);
  EXPECT_DOUBLE_EQ(t.fuzzers.least_turn(), 5);
}

TEST(NightlyFuzzers, KeepTimeToReduceWhatTheyFound) {
  const Scratch scratch;
  const Turn t(night_with(scratch, {}));
  EXPECT_DOUBLE_EQ(t.session.kept_for_the_end(), 120) << "distil, merge and report";
}

TEST(NightlyFuzzers, GoOnWithTheTurnsAndCountsOfANightThatWasStopped) {
  const Scratch scratch;
  const StandIn said{.fuzz = fmt::format("echo $0 >> {}; echo stat::number_of_executed_units: 7",
                                         (scratch / "order").string())};
  for (const char* name : {"loop_vs_vectorized", "npy"}) put_target(scratch / "bin", name, said);
  nightly::NightlyOptions o = night_with(scratch, said);
  o.properties.clear();
  Turn t(o);
  for (int i = 0; i < 3; ++i) t.fuzzers.turn(t.session, 1, 0);
  EXPECT_EQ(t.fuzzers.read(), 7U);
  nightly::Fuzzers again(t.session);
  EXPECT_EQ(again.read(), 7U);
  fs::remove(scratch / "order");
  again.turn(t.session, 1, 0);
  EXPECT_NE(content(scratch / "order").find("loop_vs_vectorized"), std::string::npos);
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
}  // namespace ulpfuzz::fuzzers_test
