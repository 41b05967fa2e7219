#include <gmock/gmock.h>

#include <set>

#include "fuzzer_inputs.hpp"
#include "night_folders.hpp"
#include "phases.hpp"
#include "short_night.hpp"
#include "stand_in_target.hpp"
#include "state.hpp"
#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::fuzz_corpus_test {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing::UnorderedElementsAre;

constexpr const char* target = "fuzz_batched_vs_sliced";

std::set<std::string> names(const fs::path& folder) {
  std::set<std::string> all;
  if (fs::exists(folder))
    for (const auto& [name, bytes] : nights::tree(folder)) all.insert(name);
  return all;
}

nightly::NightlyOptions fuzzing_night(const Scratch& scratch, const StandIn& does,
                                      const std::string& name = "night") {
  put_target(scratch / "bin", "batched_vs_sliced", does);
  nightly::NightlyOptions o = short_night(scratch, name);
  o.subjects = {"loops"};
  o.fuzzers = scratch / "bin";
  return o;
}

std::string keeps(const std::string& files) {
  return fmt::format("for f in {}; do echo $f > $corpus/$f; done", files);
}

TEST(FuzzCorpus, LivesFromNightToNightAndIsReducedByItsTarget) {
  const Scratch scratch;
  const fs::path corpus = scratch / "corpus/fuzzing" / target;
  nightly::run_nightly(fuzzing_night(scratch, {.fuzz = keeps("a b")}), usual_subjects());
  EXPECT_THAT(names(corpus), UnorderedElementsAre("a", "b"));
  // The second begins with it, and can do without one of these.
  const StandIn second{
      .fuzz = keeps("c") + fmt::format("; cd $begin; cat * > {}", (scratch / "read").string()),
      .merge =
          "for d in $all; do for f in a c; do [ -f $d/$f ] && cp $d/$f $corpus; "
          "done; done; exit 0"};
  const nightly::NightlyOptions o = fuzzing_night(scratch, second, "second");
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  const std::string read = nights::content(scratch / "read");
  EXPECT_THAT(read, HasSubstr("a\n"));
  EXPECT_THAT(read, HasSubstr("b\n"));
  EXPECT_THAT(names(corpus), UnorderedElementsAre("a", "c"));
  EXPECT_THAT(phase_of(night, "distil").note, HasSubstr("1 of 1 libFuzzer targets reduced"));
  EXPECT_TRUE(night.errors.empty());
}

TEST(FuzzCorpus, AMergeThatFailsLosesNothing) {
  const Scratch scratch;
  const fs::path corpus = scratch / "corpus/fuzzing" / target;
  nights::put(corpus / "old", "old");
  const nightly::NightlyOptions o =
      fuzzing_night(scratch, {.fuzz = keeps("a"), .merge = "echo half > $corpus/half; exit 1"});
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_THAT(names(corpus), UnorderedElementsAre("a", "old"));
  EXPECT_THAT(phase_of(night, "distil").note, HasSubstr("0 of 1 libFuzzer targets reduced"));
}

TEST(FuzzCorpus, AMergeThatTakesTooLongIsCutWithAllThatItHasStarted) {
  const Scratch scratch;
  const fs::path started = scratch / "started";
  nightly::NightlyOptions o = fuzzing_night(
      scratch, {.merge = fmt::format("sh -c 'sleep 2; echo > {}' & wait", started.string())});
  o.cases = 0;
  o.seconds = 1;
  const Registry subjects = usual_subjects();
  nightly::Session session(o, subjects);
  nights::put(o.out / "fuzzing" / target / "a", "a");
  distil_fuzzing(session);
  EXPECT_LT(session.elapsed(), 2);
  EXPECT_THAT(names(o.out / "fuzzing-kept"), ElementsAre(std::string(target) + "/a"));
  sleep(3);
  EXPECT_FALSE(fs::exists(started));
}

TEST(FuzzCorpus, IsReducedOnceInANightAndSaysSoOnce) {
  const Scratch scratch;
  const fs::path merges = scratch / "merges";
  nightly::NightlyOptions o =
      fuzzing_night(scratch, {.merge = fmt::format("echo >> {}; cp $begin/* $corpus; [ $(wc -l < "
                                                   "{}) -gt 1 ]",
                                                   merges.string(), merges.string())});
  o.cases = 0;
  o.seconds = 1000;
  const Registry subjects = usual_subjects();
  nightly::Session session(o, subjects);
  nights::put(o.out / "fuzzing" / target / "a", "a");
  report::Phase& p = session.phase("distil");
  distil(session);
  EXPECT_EQ(p.state, report::Phase::State::done);
  EXPECT_THAT(p.note, HasSubstr("inputs of 0 of 1 libFuzzer targets reduced, the others"));
  distil(session);
  EXPECT_EQ(nights::content(merges), "\n") << "done is done";
  p.state = report::Phase::State::cut;
  distil(session);
  EXPECT_THAT(p.note, HasSubstr("inputs of 1 of 1 libFuzzer targets reduced"));
  EXPECT_EQ(p.note.find("0 of 1"), std::string::npos) << p.note;
  EXPECT_DOUBLE_EQ(p.budget, 100);
}

TEST(FuzzCorpus, OfWhatIsNotReducedOnlySoMuchIsAdded) {
  const Scratch scratch;
  for (std::size_t i = 1; i < nightly::most_inputs; ++i)
    nights::put(scratch / "corpus/fuzzing" / target / fmt::format("old{}", i), "old");
  nightly::run_nightly(fuzzing_night(scratch, {.fuzz = keeps("a b c"), .merge = "exit 1"}),
                       usual_subjects());
  const auto left = names(scratch / "corpus/fuzzing" / target);
  EXPECT_EQ(left.size(), nightly::most_inputs);
  EXPECT_THAT(left, Contains("a"));
  EXPECT_THAT(left, Contains(fmt::format("old{}", nightly::most_inputs - 1)));
}

TEST(FuzzCorpus, PublishesAsDistilledCases) {
  const nights::Folder folder;
  const fs::path corpus = folder / "corpus/fuzzing/fuzz_x", kept = folder / "night/fuzzing-kept";
  for (const char* name : {"others", "covered", "still"}) nights::put(corpus / name, name);
  for (const char* name : {"still", "new"}) nights::put(kept / "fuzz_x" / name, name);
  nights::put(kept / "fuzz_x.read.txt", "covered\nstill\n../../ledger\n");
  const report::Night night = nights::night("20261101T020000Z-1");
  nightly::publish(folder / "corpus", night, folder / "night");
  EXPECT_THAT(names(corpus), UnorderedElementsAre("others", "still", "new"));
  const auto once = nights::tree(folder / "corpus");
  nightly::publish(folder / "corpus", night, folder / "night");
  EXPECT_EQ(nights::tree(folder / "corpus"), once);
}

TEST(FuzzCorpus, OfTooMuchThatShardsWantThereIsTheSamePartInAnyOrder) {
  const nights::Folder folder;
  const fs::path kept = folder / "night/fuzzing-kept/fuzz_x";
  for (std::size_t i = 0; i < nightly::most_inputs + 10; ++i)
    nights::put(kept / fmt::format("{:04}", i), "input");
  nights::put(folder / "corpus/fuzzing/fuzz_x/9999", "old");
  const report::Night night = nights::night("20261101T020000Z-1");
  for (int twice = 0; twice < 2; ++twice) {
    nightly::publish(folder / "corpus", night, folder / "night");
    const auto left = names(folder / "corpus/fuzzing/fuzz_x");
    EXPECT_EQ(left.size(), nightly::most_inputs);
    EXPECT_EQ(*left.rbegin(), fmt::format("{:04}", nightly::most_inputs - 1));
  }
}

TEST(FuzzCorpus, WhatAnotherNightIsWritingIsNoneOfTheMost) {
  const nights::Folder folder;
  const fs::path corpus = folder / "corpus/fuzzing/fuzz_x";
  for (std::size_t i = 0; i < nightly::most_inputs; ++i)
    nights::put(corpus / fmt::format("{:04}", i), "input");
  for (const char* written : {"0000.9.tmp", "9999.9.tmp"}) nights::put(corpus / written, "half");
  fs::create_directories(folder / "night/fuzzing-kept/fuzz_x");
  nightly::publish(folder / "corpus", nights::night("20261101T020000Z-1"), folder / "night");
  const auto left = names(corpus);
  EXPECT_EQ(left.size(), nightly::most_inputs + 2);
}

TEST(FuzzCorpus, OfShardsIsUnitedAndPublishedOnce) {
  const nights::Folder folder;
  for (const char* shard : {"1", "2"}) {
    report::Night n = nights::night(fmt::format("20261101T020000Z-1-shard{}of3", shard));
    nights::put_night(folder / shard, n);
    const fs::path kept = folder / shard / "fuzzing-kept";
    nights::put(kept / "fuzz_x" / ("of" + std::string(shard)), shard);
    nights::put(kept / "fuzz_x/both", "both");
    nights::put(kept / "fuzz_x.read.txt", fmt::format("read{}\nof{}\n", shard, shard));
  }
  for (const char* old : {"read1", "read2", "others"})
    nights::put(folder / "corpus/fuzzing/fuzz_x" / old, old);
  nightly::MergeOptions o;
  o.folders = {folder / "2", folder / "1"};
  o.out = folder / "merged";
  o.corpus = folder / "corpus";
  nightly::merge(o);
  EXPECT_THAT(names(folder / "merged/fuzzing-kept"),
              UnorderedElementsAre("fuzz_x/both", "fuzz_x/of1", "fuzz_x/of2", "fuzz_x.read.txt"));
  EXPECT_THAT(names(folder / "corpus/fuzzing/fuzz_x"),
              UnorderedElementsAre("both", "of1", "of2", "others"));
  const auto once = nights::tree(folder / "merged/fuzzing-kept");
  o.folders = {folder / "1"};
  nightly::merge(o);
  EXPECT_EQ(nights::tree(folder / "merged/fuzzing-kept"), once);
}

TEST(FuzzCorpus, WhatTargetsOfAKilledNightWroteDownIsMerged) {
  const nights::Folder folder;
  nightly::State state;
  state.night = nights::night("20261101T020000Z-1-shard1of2");
  state.night.running = true;
  state.night.phases.emplace_back().name = "libFuzzer";
  report::NightBucket late = nights::bucket("late");
  nights::put_finding(folder / "1/parts/06-libFuzzer/fuzz_x-0", late, 3);
  write_state(folder / "1/night.json", state);
  nightly::MergeOptions o;
  o.folders = {folder / "1"};
  o.out = folder / "merged";
  const report::Night night = nightly::merge(o);
  EXPECT_EQ(phase_of(night, "libFuzzer").buckets, 1U);
  EXPECT_EQ(phase_of(night, "libFuzzer").state, report::Phase::State::cut);
  ASSERT_EQ(night.buckets.size(), 1U);
  EXPECT_EQ(night.buckets[0].bucket.id, "late");
  EXPECT_EQ(night.buckets[0].found_in, "libFuzzer");
  EXPECT_TRUE(fs::exists(o.out / night.buckets[0].bucket.case_file));
}

TEST(FuzzCorpus, ClimbingBeginsWithItOnce) {
  const Scratch scratch;
  std::set<std::string> hashes;
  for (std::uint64_t i = 0; i < 4; ++i) {
    const Case c = nights::small_case(i);
    hashes.insert(content_hash(c));
    const fs::path file = scratch / "corpus/fuzzing" / target / std::to_string(i);
    fs::create_directories(file.parent_path());
    write_case(file.string() + ".case", {c, {}});
    fs::rename(file.string() + ".case", file);
  }
  nights::put(scratch / "corpus/fuzzing" / target / "choices", "no case");
  const nightly::NightlyOptions o = fuzzing_night(scratch, {});
  nightly::run_nightly(o, usual_subjects());
  std::set<std::string> given, climbed;
  for (const std::string& name : names(o.out / "fuzzed"))
    given.insert(name.substr(0, name.find('-')));
  EXPECT_EQ(given, hashes);
  for (const std::string& name : names(o.out / "parts/05-search/corpus")) {
    const std::string file = fs::path(name).filename().string();
    climbed.insert(file.substr(0, file.find('-')));
  }
  std::set<std::string> both;
  std::set_intersection(given.begin(), given.end(), climbed.begin(), climbed.end(),
                        std::inserter(both, both.end()));
  EXPECT_FALSE(both.empty()) << "some of them are worth keeping";
  const Registry subjects = usual_subjects();
  nightly::NightlyOptions again = o;
  again.out = scratch / "again";
  nightly::Session session(again, subjects);
  const nightly::Fuzzers fuzzers(session);
  nightly::FuzzedCases fuzzed;
  EXPECT_EQ(fuzzed.fresh(session, fuzzers).size(), 4U);
  EXPECT_TRUE(fuzzed.fresh(session, fuzzers).empty());
  fs::create_directories(again.out / "fuzzing" / target);
  fs::copy_file(scratch / "corpus/fuzzing" / target / "0", again.out / "fuzzing" / target / "new");
  EXPECT_EQ(fuzzed.fresh(session, fuzzers).size(), 1U) << "found by this night";
}

}  // namespace
}  // namespace ulpfuzz::fuzz_corpus_test
