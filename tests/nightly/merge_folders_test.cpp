#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>

#include "night_folders.hpp"
#include "state.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz::nightly {
namespace {

namespace fs = std::filesystem;
using nights::bucket;
using report::BucketState;
using report::Night;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Nights below one folder, and their merge in out/.
class MergeFolders : public testing::Test {
 protected:
  /// The cases of the buckets are `i` + 1, `i` + 2 ...
  Night put(const std::string& name, const std::string& id,
            std::vector<report::NightBucket> buckets = {}, std::uint64_t i = 0) {
    Night n = nights::night("20261101T020000Z-7-" + id);
    for (report::NightBucket& b : buckets) nights::put_finding(place_ / name, b, ++i, "minimal");
    n.buckets = std::move(buckets);
    nights::put_night(place_ / name, n);
    return n;
  }
  Night merged(const std::vector<std::string>& folders, const std::string& corpus = {}) {
    MergeOptions o;
    for (const std::string& name : folders) o.folders.push_back(place_ / name);
    o.out = place_ / "out";
    if (!corpus.empty()) o.corpus = place_ / corpus;
    return merge(o);
  }
  std::string refusal(const std::vector<std::string>& folders) {
    try {
      merged(folders);
    } catch (const FileError& error) {
      return error.what();
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "merged";
  }

  const nights::Folder place_;
};

TEST_F(MergeFolders, RefusesWhatHoldsNoNightAndWritesNothing) {
  put("a", "shard0of2");
  EXPECT_THAT(refusal({"a", "missing"}), HasSubstr((place_ / "missing").string() + ": holds no"));
  fs::create_directories(place_ / "empty");
  EXPECT_THAT(refusal({"a", "empty"}), HasSubstr((place_ / "empty").string() + ": holds no night"));
  EXPECT_FALSE(fs::exists(place_ / "out"));
}

TEST_F(MergeFolders, RefusesAnOutThatIsANight) {
  put("a", "shard0of2");
  put("out", "shard1of2");
  const auto before = nights::tree(place_ / "out");
  EXPECT_THAT(refusal({"a"}), HasSubstr("holds a night of its own; choose another --out"));
  EXPECT_EQ(nights::tree(place_ / "out"), before);
}

TEST_F(MergeFolders, LeavesOutADamagedNightAndLosesNoOther) {
  put("a", "shard0of3", {bucket("x", 2)});
  put("b", "shard1of3", {bucket("x", 3)});
  put("c", "shard2of3", {bucket("y")});
  const std::string whole = nights::content(place_ / "c/summary.json");
  nights::put(place_ / "c/summary.json", whole.substr(0, whole.size() / 2));
  const Night n = merged({"a", "c", "b"});
  EXPECT_EQ(n.exit_code, 4);
  EXPECT_THAT(n.errors, ElementsAre(HasSubstr((place_ / "c").string())));
  EXPECT_EQ(n.shards.size(), 2);
  ASSERT_EQ(n.buckets.size(), 1);
  EXPECT_EQ(n.buckets[0].bucket.count, 5);
  EXPECT_TRUE(fs::exists(place_ / "out/findings/y/minimal.case.json"))
      << "what it found is on disk, whatever its summary says";
  // It stays an error of the merge, until the night is mended and merged again.
  EXPECT_EQ(merged({"a"}).exit_code, 4);
  nights::put(place_ / "c/summary.json", whole);
  const Night mended = merged({"c"});
  EXPECT_THAT(mended.errors, IsEmpty());
  EXPECT_EQ(mended.shards.size(), 3);
  EXPECT_EQ(mended.exit_code, 1);
}

TEST_F(MergeFolders, RefusesToMergeWhereNoNightCanBeRead) {
  nights::put(place_ / "a/summary.json", "{}");
  EXPECT_THAT(refusal({"a"}), HasSubstr((place_ / "a/summary.json").string()));
  EXPECT_FALSE(fs::exists(place_ / "out"));
}

TEST_F(MergeFolders, TakesNoOtherSummaryForANight) {
  nights::put(place_ / "run/summary.json", summary_json({}, {}));
  EXPECT_THAT(refusal({"run"}), HasSubstr("kind"));
}

TEST_F(MergeFolders, NamesADamagedFindingAndKeepsTheOthers) {
  put("a", "shard0of2", {bucket("x")});
  nights::put(place_ / "a/findings/x/0123.case.json", "{");
  const Night n = merged({"a"});
  EXPECT_EQ(n.exit_code, 4);
  EXPECT_THAT(n.errors, ElementsAre(HasSubstr("findings/x/0123.case.json")));
  EXPECT_TRUE(fs::exists(place_ / "out/findings/x/minimal.case.json"));
  EXPECT_FALSE(fs::exists(place_ / "out/findings/x/0123.case.json"));
}

TEST_F(MergeFolders, UnitesAnUnfinishedNightAndWhatItHadNotCountedYet) {
  put("a", "shard0of2");
  State state;
  state.night = nights::night("20261101T020000Z-7-shard1of2");
  state.night.running = true;
  state.night.phases.resize(1);
  state.night.phases[0].name = "random";
  state.seconds = 10;
  CampaignResult part;
  part.cases = 40;
  part.seconds = 5;
  part.verdicts = {{"pass", 39}, {"fail", 1}};
  Bucket found = bucket("late").bucket;
  report::NightBucket in_part = bucket("late");
  nights::put_finding(place_ / "b/parts/04-random", in_part, 3);
  found.case_file = in_part.bucket.case_file;
  part.buckets = {found};
  part.running = true;
  // Written down, and not told of before the kill.
  report::NightBucket untold = bucket("untold");
  nights::put_finding(place_ / "b/parts/04-random", untold, 4);
  fs::create_directories(place_ / "b");
  write_state(place_ / "b/night.json", state);
  nights::put(place_ / "b/parts/04-random/summary.json", summary_json({}, part));
  const auto before = nights::tree(place_ / "b");
  const Night n = merged({"a", "b"});
  EXPECT_EQ(nights::tree(place_ / "b"), before);
  EXPECT_EQ(n.cases, 100 + 100 + 40);
  EXPECT_EQ(n.verdicts.at("fail"), 1);
  ASSERT_EQ(n.buckets.size(), 2);
  EXPECT_EQ(n.buckets[0].bucket.id, "late");
  EXPECT_EQ(n.buckets[1].bucket.id, "untold");
  for (const auto& b : n.buckets)
    EXPECT_TRUE(fs::exists(place_ / "out" / b.bucket.case_file)) << b.bucket.id;
  EXPECT_THAT(n.errors, ElementsAre(HasSubstr("shard1of2: not over, or killed")));
  EXPECT_EQ(n.exit_code, 4);
  EXPECT_FALSE(n.running);
  EXPECT_FALSE(fs::exists(place_ / "out/.unfinished"));
  // Then it was resumed, and is over.
  Night over = state.night;
  over.running = false;
  over.seconds = 100;
  over.cases = 300;
  nights::put_night(place_ / "b", over);
  write_state(place_ / "b/night.json", {over, {}, {"04-random"}, 100});
  const Night later = merged({"b"});
  EXPECT_EQ(later.cases, 100 + 300);
  EXPECT_THAT(later.errors, IsEmpty());
}

TEST_F(MergeFolders, GivesOneStateToABucketThatShardsSawDifferently) {
  auto old = bucket("x"), fresh = bucket("x"), back = bucket("y"), quiet = bucket("z");
  old.state = BucketState::open;
  old.first_seen = "20261001T020000Z-1";
  old.nights = 4;
  back.state = BucketState::returned;
  back.first_seen = "20261002T020000Z-1";
  quiet.state = BucketState::known;
  quiet.owner = "Ann";
  quiet.until = "2026-12-31";
  put("a", "shard0of2", {fresh, bucket("new")});
  put("b", "shard1of2", {old, back, quiet}, 10);
  const Night n = merged({"a", "b"});
  std::map<std::string, BucketState> states;
  for (const auto& b : n.buckets) states[b.bucket.id] = b.state;
  EXPECT_EQ(states.at("new"), BucketState::fresh);
  EXPECT_EQ(states.at("x"), BucketState::open);
  EXPECT_EQ(states.at("y"), BucketState::returned);
  EXPECT_EQ(states.at("z"), BucketState::known);
  EXPECT_EQ(n.buckets[0].bucket.id, "y");
  EXPECT_EQ(n.exit_code, 3);
}

TEST_F(MergeFolders, TakesBucketsForOneThatAShardMergedOrThatHaveOneMinimalCase) {
  auto named = bucket("named", 2), plain = bucket("plain", 3), other = bucket("other", 4);
  named.bucket.also = {"plain"};
  plain.bucket.cause = other.bucket.cause = "unexplained";
  put("a", "shard0of3", {named});
  put("b", "shard1of3", {plain});
  put("c", "shard2of3", {other});  // its case is that of `named`
  nights::put_finding(place_ / "b", plain, 5, "minimal");
  const Night n = merged({"a", "b", "c"});
  ASSERT_EQ(n.buckets.size(), 1);
  EXPECT_EQ(n.buckets[0].bucket.id, "named");
  EXPECT_EQ(n.buckets[0].bucket.count, 2 + 3 + 4);
  EXPECT_THAT(n.buckets[0].bucket.also, ElementsAre("other", "plain"));
}

TEST_F(MergeFolders, PublishesAsANightDoesAndTwiceChangesNothing) {
  put("a", "shard0of2", {bucket("x")});
  put("b", "shard1of2", {bucket("x")});
  nights::put(place_ / "a/distilled/0123456789abcdef.case", "a case");
  const Night once = merged({"a", "b"}, "corpus");
  EXPECT_EQ(once.exit_code, 1);
  EXPECT_EQ(once.corpus, 1);
  const auto out = nights::tree(place_ / "out"), corpus = nights::tree(place_ / "corpus");
  EXPECT_EQ(read_ledger(place_ / "corpus").at("x").nights, 1);
  EXPECT_EQ(read_history(place_ / "corpus").size(), 1);
  EXPECT_TRUE(fs::exists(place_ / "corpus/distilled/0123456789abcdef.case"));
  const Night twice = merged({"b", "a"}, "corpus");
  EXPECT_EQ(twice.buckets[0].state, BucketState::fresh);
  EXPECT_EQ(nights::tree(place_ / "out"), out);
  EXPECT_EQ(nights::tree(place_ / "corpus"), corpus);
}

TEST_F(MergeFolders, SaysThatADamagedLedgerKeptItFromPublishing) {
  put("a", "shard0of2", {bucket("x")});
  nights::put(place_ / "corpus/ledger.json", "{");
  const Night n = merged({"a"}, "corpus");
  EXPECT_EQ(n.exit_code, 4);
  EXPECT_THAT(n.errors, ElementsAre(HasSubstr("corpus/ledger.json: ")));
  EXPECT_EQ(n.buckets.size(), 1);
  EXPECT_EQ(nights::tree(place_ / "corpus").size(), 1);
  EXPECT_THAT(nights::content(place_ / "out/summary.json"), HasSubstr("corpus/ledger.json: "));
}

TEST_F(MergeFolders, IsAVerbWithTheExitCodeOfANight) {
  put("a", "shard0of2", {bucket("x")});
  put("b", "shard1of2");
  const auto run = [&](const std::string& arguments) {
    const int status =
        std::system(("cd " + place_.path().string() +
                     " && " ULPFUZZ_BINARY_DIR "/bin/ulpfuzz merge " + arguments + " >o 2>e")
                        .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  EXPECT_EQ(run("a b --out out --json sum.json --corpus corpus"), 1);
  EXPECT_EQ(nights::content(place_ / "sum.json"), nights::content(place_ / "out/summary.json"));
  EXPECT_THAT(nights::content(place_ / "o"), HasSubstr("1 new"));
  EXPECT_EQ(run("b --out quiet"), 0);
  EXPECT_EQ(run("missing --out quiet"), 2);
  EXPECT_THAT(nights::content(place_ / "e"), HasSubstr("missing: holds no night"));
  EXPECT_EQ(run("b"), 2);
  EXPECT_EQ(run("--out quiet"), 2);
  EXPECT_EQ(run("b --out a"), 2);
}

}  // namespace
}  // namespace ulpfuzz::nightly
