#include <gmock/gmock.h>
#include <unistd.h>

#include "../runner/tool_run.hpp"
#include "files.hpp"
#include "night_folders.hpp"
#include "short_night.hpp"
#include "stand_in_target.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;
using nights::bucket;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A link to itself can be read by nobody, root included.
void put_loop(const fs::path& path) {
  fs::create_directories(path.parent_path());
  fs::create_symlink(path.filename(), path);
}

std::string refusal(const fs::path& folder) {
  try {
    entries(folder);
  } catch (const FileError& error) {
    return error.what();
  }
  return "listed";
}

TEST(Unreadable, AFolderThatCannotBeListedIsRefusedByNameAndOneThatIsNotThereIsEmpty) {
  const nights::Folder place;
  put_loop(place / "loop");
  EXPECT_THAT(refusal(place / "loop"), HasSubstr((place / "loop").string() + ": list: "));
  EXPECT_EQ(refusal(place / "missing"), "listed");
  nights::put(place / "file", "");
  EXPECT_EQ(refusal(place / "file"), "listed");
}

NightlyOptions loops_alone(const Scratch& scratch) {
  NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  o.publish = false;
  return o;
}

TEST(Unreadable, AFolderOfRegressionsOrKeptCasesIsAnErrorOfTheNight) {
  for (const char* room : {"regressions", "failing", "failing/bucket"}) {
    const Scratch scratch;
    const NightlyOptions o = loops_alone(scratch);
    put_loop(o.corpus / room);
    const report::Night night = run_nightly(o, usual_subjects());
    EXPECT_EQ(night.exit_code, 4) << room;
    EXPECT_THAT(night.errors, Contains(HasSubstr((o.corpus / room).string() + ": list: "))) << room;
    EXPECT_GE(night.cases, o.cases) << room << ": the night goes on";
  }
}

TEST(Unreadable, InputsOfOneTargetAreAnErrorAndAllElseGoesOn) {
  const Scratch scratch;
  const StandIn keeps{.fuzz = "echo kept > $corpus/kept"};
  for (const char* name : {"batched_vs_sliced", "loop_vs_vectorized"})
    put_target(scratch / "bin", name, keeps);
  NightlyOptions o = loops_alone(scratch);
  o.properties.clear();
  o.fuzzers = scratch / "bin";
  o.publish = true;
  const fs::path inputs = o.corpus / "fuzzing";
  put_loop(inputs / "fuzz_batched_vs_sliced");
  const report::Night night = run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_THAT(night.errors,
              Contains(HasSubstr((inputs / "fuzz_batched_vs_sliced").string() + ": list: ")));
  for (const char* phase : {"random", "search", "libFuzzer", "distil"})
    EXPECT_EQ(ulpfuzz::phase_of(night, phase).state, report::Phase::State::done) << phase;
  EXPECT_GE(ulpfuzz::phase_of(night, "search").cases, o.cases);
  EXPECT_EQ(ulpfuzz::phase_of(night, "libFuzzer").cases, 2U) << "one of each target";
  EXPECT_TRUE(fs::exists(inputs / "fuzz_loop_vs_vectorized/kept"));
  EXPECT_TRUE(fs::exists(o.out / "fuzzing-kept/fuzz_batched_vs_sliced/kept"));
  EXPECT_TRUE(fs::exists(o.corpus / "history.jsonl"));
  EXPECT_FALSE(fs::is_empty(o.corpus / "distilled"));
}

TEST(Unreadable, DistilledCasesAreAnErrorAndAllElseGoesOn) {
  const Scratch scratch;
  const NightlyOptions o = loops_alone(scratch);
  put_loop(o.corpus / "distilled");
  const report::Night night = run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_THAT(night.errors, ElementsAre(HasSubstr((o.corpus / "distilled").string() + ": list: ")));
  for (const char* phase : {"random", "search", "distil"})
    EXPECT_EQ(ulpfuzz::phase_of(night, phase).state, report::Phase::State::done) << phase;
  EXPECT_FALSE(fs::is_empty(o.out / "distilled"));
}

TEST(Unreadable, ADamagedLedgerIsToldBeforeANightBegins) {
  const Scratch scratch;
  const fs::path corpus = scratch / "corpus", out = scratch / "night";
  nights::put(corpus / "ledger.json", R"({"schema": 1, "nights": [], "buckets": {"x": 7}})");
  const Result r =
      run(scratch, fmt::format("nightly --time 8h --subject loops --out {} --corpus {}",
                               out.string(), corpus.string()));
  EXPECT_EQ(r.code, 4);
  EXPECT_THAT(r.err, HasSubstr((corpus / "ledger.json").string() +
                               ": buckets.x: is 7; an object would fit"));
  EXPECT_FALSE(fs::exists(out)) << "nothing has begun";
  EXPECT_EQ(nights::tree(corpus).size(), 1);
  nights::put(corpus / "ledger.json", "{");
  const Result cut = run(scratch, fmt::format("nightly --cases 5 --out {} --corpus {}",
                                              out.string(), corpus.string()));
  EXPECT_EQ(cut.code, 4);
  EXPECT_THAT(cut.err, HasSubstr("put a copy in its place, or remove it"));
}

TEST(Unreadable, AHistoryThatIsNoFileIsToldBeforeANightBegins) {
  const Scratch scratch;
  const NightlyOptions o = loops_alone(scratch);
  fs::create_directories(o.corpus / "history.jsonl");
  EXPECT_THROW(run_nightly(o, usual_subjects()), FileError);
  EXPECT_FALSE(fs::exists(o.out));
}

/// As by a hand, or a disk, while the night works.
TEST(Unreadable, ALedgerThatIsDamagedInTheNightEndsNeitherSearchNorShrinking) {
  const Scratch scratch;
  NightlyOptions o = short_night(scratch);
  o.subjects = {"fault/neighbour_row", "spoils"};
  const auto spoil = [&](const Evaluation&) {
    fs::create_directories(o.corpus);
    std::ofstream(o.corpus / "ledger.json") << "{";
  };
  const report::Night night =
      run_nightly(o, with(std::make_unique<mutants::Staged>("spoils", spoil)));
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_THAT(night.errors, ElementsAre(HasSubstr((o.corpus / "ledger.json").string() + ": ")));
  for (const char* phase : {"search", "shrink", "distil"})
    EXPECT_EQ(ulpfuzz::phase_of(night, phase).state, report::Phase::State::done) << phase;
  const report::NightBucket* b = bucket_with(night, "neighbour-row");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->bucket.case_file.filename(), "minimal.case.json");
  EXPECT_EQ(nights::content(o.corpus / "ledger.json"), "{");
}

TEST(Unreadable, AFolderBelowTheRegressionsIsAnErrorOfTheNight) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read every folder";
  const Scratch scratch;
  NightlyOptions o = loops_alone(scratch);
  o.regressions = {scratch / "regressions"};
  const fs::path closed = scratch / "regressions" / "closed";
  fs::create_directories(closed);
  fs::permissions(closed, fs::perms::none);
  const report::Night night = run_nightly(o, usual_subjects());
  fs::permissions(closed, fs::perms::owner_all);
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_THAT(night.errors, ElementsAre(HasSubstr(closed.string() + ": list: ")));
}

/// Two nights, s1 with bucket x and s2 with bucket y, and their merge.
class UnreadableShard : public testing::Test {
 protected:
  UnreadableShard() {
    put("s1", "shard0of2", "x", 1);
    put("s2", "shard1of2", "y", 2);
  }
  void put(const std::string& name, const std::string& id, const std::string& of, std::uint64_t i) {
    report::Night n = nights::night("20261101T020000Z-7-" + id);
    n.buckets = {bucket(of)};
    nights::put_finding(place_ / name, n.buckets[0], i, "minimal");
    nights::put_night(place_ / name, n);
  }
  report::Night merged() const {
    MergeOptions o;
    o.folders = {place_ / "s1", place_ / "s2"};
    o.out = place_ / "out";
    return merge(o);
  }
  /// The merge has all but `path`, which it names.
  void expect_left_out(const fs::path& path, std::size_t shards, bool finding) const {
    const report::Night n = merged();
    EXPECT_EQ(n.exit_code, 4);
    EXPECT_THAT(n.errors, ElementsAre(HasSubstr(path.string())));
    EXPECT_EQ(n.shards.size(), shards);
    EXPECT_EQ(n.buckets.size(), shards);
    EXPECT_TRUE(fs::exists(place_ / "out/findings/x/minimal.case.json"));
    EXPECT_EQ(fs::exists(place_ / "out/findings/y/minimal.case.json"), finding);
  }

  const nights::Folder place_;
};

TEST_F(UnreadableShard, ItsFindingsAreNamed) {
  fs::remove_all(place_ / "s2/findings");
  put_loop(place_ / "s2/findings");
  expect_left_out(place_ / "s2/findings", 2, false);
}

TEST_F(UnreadableShard, ABucketThatIsALinkToItselfIsNamedAndTheOthersAreUnited) {
  put_loop(place_ / "s2/findings/a");
  expect_left_out(place_ / "s2/findings/a", 2, true);
}

TEST_F(UnreadableShard, AFileOfABucketThatIsALinkToItselfIsNamedAndTheOthersAreUnited) {
  put_loop(place_ / "s2/findings/y/0123.case.json");
  expect_left_out(place_ / "s2/findings/y/0123.case.json", 2, true);
}

TEST_F(UnreadableShard, OtherFoldersAreNamedAndTheFindingsUnited) {
  for (const char* kind : {"corpus", "distilled", "fuzzing-kept"}) {
    put_loop(place_ / "s2" / kind);
    const report::Night n = merged();
    EXPECT_EQ(n.exit_code, 4);
    EXPECT_THAT(n.errors, Contains(HasSubstr((place_ / "s2" / kind).string() + ": list: ")));
    EXPECT_EQ(n.buckets.size(), 2);
    fs::remove(place_ / "s2" / kind);
  }
}

TEST_F(UnreadableShard, OneWhoseSummaryIsALinkToItselfIsLeftOutAndWhatItFoundIsKept) {
  fs::remove(place_ / "s2/summary.json");
  put_loop(place_ / "s2/summary.json");
  expect_left_out(place_ / "s2/summary.json", 1, true);
}

TEST_F(UnreadableShard, OneThatIsOverNeedsNoState) {
  put_loop(place_ / "s2/night.json");
  const report::Night n = merged();
  EXPECT_EQ(n.exit_code, 1);
  EXPECT_THAT(n.errors, ElementsAre());
  EXPECT_EQ(n.shards.size(), 2);
}

TEST_F(UnreadableShard, OneThatIsALinkToItselfIsLeftOut) {
  fs::remove_all(place_ / "s2");
  put_loop(place_ / "s2");
  const report::Night n = merged();
  EXPECT_EQ(n.exit_code, 4);
  EXPECT_THAT(n.errors, Contains(HasSubstr((place_ / "s2").string())));
  EXPECT_EQ(n.shards.size(), 1);
  EXPECT_TRUE(fs::exists(place_ / "out/findings/x/minimal.case.json"));
  EXPECT_FALSE(fs::exists(place_ / "out/findings/y"));
}

TEST_F(UnreadableShard, OneThatMayNotBeEnteredIsLeftOut) {
  if (geteuid() == 0) GTEST_SKIP() << "root may enter every folder";
  fs::permissions(place_ / "s2", fs::perms::none);
  const report::Night n = merged();
  fs::permissions(place_ / "s2", fs::perms::owner_all);
  EXPECT_EQ(n.exit_code, 4);
  EXPECT_EQ(n.shards.size(), 1);
  EXPECT_THAT(n.errors, Contains(HasSubstr((place_ / "s2").string())));
}

}  // namespace
}  // namespace ulpfuzz::nightly
