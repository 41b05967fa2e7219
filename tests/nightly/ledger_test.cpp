#include "ledger.hpp"

#include <gmock/gmock.h>

#include "night_folders.hpp"
#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::nightly {
namespace {

using nights::bucket;
using report::BucketState;
using report::Night;
using report::NightBucket;
using testing::ElementsAre;
using testing::HasSubstr;

/// Nights one after the other, on one corpus.
class Nights : public testing::Test {
 protected:
  /// A night that finds these, and sees that kept cases of `passing` pass.
  Night run(const std::string& id, std::vector<NightBucket> buckets,
            const std::vector<std::string>& passing = {}) {
    Night n = nights::night(id);
    std::uint64_t i = 0;
    for (NightBucket& b : buckets) {
      ++i;
      if (b.bucket.case_file.empty()) nights::put_finding(folder_ / id, b, i, "minimal");
    }
    n.buckets = std::move(buckets);
    classify(n, read_ledger(corpus_), known_, passing, folder_ / id);
    publish(corpus_, n, folder_ / id);
    return n;
  }
  NightBucket in_folder(const std::string& night, const std::string& id, std::uint64_t i) {
    NightBucket b = bucket(id);
    nights::put_finding(folder_ / night, b, i, "minimal");
    return b;
  }

  const nights::Folder folder_;
  const std::filesystem::path corpus_ = folder_ / "corpus";
  std::vector<KnownBucket> known_;
};

TEST_F(Nights, SeeABucketNewThenOpenThenFixedThenReturned) {
  const Night a = run("20261101T020000Z-1", {bucket("x")});
  ASSERT_EQ(a.buckets.size(), 1);
  EXPECT_EQ(a.buckets[0].state, BucketState::fresh);
  EXPECT_EQ(a.buckets[0].first_seen, a.id);
  EXPECT_EQ(a.buckets[0].nights, 1);
  const Night b = run("20261102T020000Z-1", {bucket("x")});
  EXPECT_EQ(b.buckets[0].state, BucketState::open);
  EXPECT_EQ(b.buckets[0].first_seen, a.id);
  EXPECT_EQ(b.buckets[0].nights, 2);
  const Night c = run("20261103T020000Z-1", {}, {"x"});
  ASSERT_EQ(c.buckets.size(), 1);
  EXPECT_EQ(c.buckets[0].state, BucketState::fixed);
  EXPECT_EQ(c.buckets[0].bucket.id, "x");
  EXPECT_EQ(c.buckets[0].bucket.subject, "openblas");
  EXPECT_EQ(c.buckets[0].bucket.cause, "row leak");
  EXPECT_EQ(c.buckets[0].nights, 2);
  EXPECT_TRUE(run("20261104T020000Z-1", {}, {"x"}).buckets.empty()) << "fixed is news once";
  const Night d = run("20261105T020000Z-1", {bucket("x")});
  EXPECT_EQ(d.buckets[0].state, BucketState::returned);
  EXPECT_EQ(d.buckets[0].nights, 3);
  EXPECT_EQ(run("20261106T020000Z-1", {bucket("x")}).buckets[0].state, BucketState::open);
}

TEST_F(Nights, TakeABucketForOpenThatFailsThoughItsKeptCasePasses) {
  run("20261101T020000Z-1", {bucket("x")});
  const Night n = run("20261102T020000Z-1", {in_folder("20261102T020000Z-1", "x", 2)}, {"x"});
  ASSERT_EQ(n.buckets.size(), 1);
  EXPECT_EQ(n.buckets[0].state, BucketState::open);
  const CaseFile kept = read_case(corpus_ / "failing/x/minimal.case.json");
  EXPECT_EQ(content_hash(kept.value), content_hash(nights::small_case(2)))
      << "the case that failed last is kept";
}

TEST_F(Nights, KnowABucketByItsMinimalCaseAndByWhatItWasMergedWith) {
  run("20261101T020000Z-1", {bucket("x")});
  const Night b = run("20261102T020000Z-1", {bucket("renamed")});
  EXPECT_EQ(b.buckets[0].state, BucketState::open);
  EXPECT_EQ(b.buckets[0].first_seen, "20261101T020000Z-1");
  // Now by its name, whatever the case is.
  const Night c = run("20261103T020000Z-1", {in_folder("20261103T020000Z-1", "renamed", 5)});
  EXPECT_EQ(c.buckets[0].state, BucketState::open);
  EXPECT_EQ(c.buckets[0].nights, 3);
  NightBucket merged = in_folder("20261104T020000Z-1", "named", 6);
  merged.bucket.also = {"x"};
  EXPECT_EQ(run("20261104T020000Z-1", {merged}).buckets[0].state, BucketState::open);
  EXPECT_EQ(
      run("20261105T020000Z-1", {in_folder("20261105T020000Z-1", "other", 7)}).buckets[0].state,
      BucketState::fresh);
  NightBucket elsewhere = in_folder("20261106T020000Z-1", "elsewhere", 1);
  elsewhere.bucket.subject = "loops";
  EXPECT_EQ(run("20261106T020000Z-1", {elsewhere}).buckets[0].state, BucketState::fresh)
      << "the same case on another subject is another fault";
}

TEST_F(Nights, AreQuietOfABucketByTheNameOfOneThatItWasMergedWith) {
  known_ = {{"cause-a", "Ann", "2026-12-31", ""}};
  NightBucket merged = bucket("cause-b");
  EXPECT_EQ(run("20261101T020000Z-1", {merged}).buckets[0].state, BucketState::fresh);
  merged.bucket.also = {"cause-a"};
  const Night quiet = run("20261102T020000Z-1", {merged});
  EXPECT_EQ(quiet.buckets[0].state, BucketState::known);
  EXPECT_EQ(quiet.buckets[0].owner, "Ann");
}

TEST_F(Nights, KeepKnownBucketsQuietUntilTheirDay) {
  known_ = {{"x", "Ann", "2026-11-02", "ticket"}};
  EXPECT_EQ(run("20261101T020000Z-1", {bucket("x")}).buckets[0].state, BucketState::known);
  const Night b = run("20261102T020000Z-1", {bucket("renamed")});
  EXPECT_EQ(b.buckets[0].state, BucketState::known) << "by the id it was first seen under";
  EXPECT_EQ(b.buckets[0].owner, "Ann");
  const Night c = run("20261103T020000Z-1", {bucket("x")});
  EXPECT_EQ(c.buckets[0].state, BucketState::open);
  EXPECT_EQ(c.buckets[0].owner, "");
  EXPECT_EQ(c.buckets[0].nights, 3);
}

TEST_F(Nights, TakeAFailingRegressionForReturned) {
  NightBucket b = bucket("x");
  b.found_in = "regressions";
  EXPECT_EQ(run("20261101T020000Z-1", {b}).buckets[0].state, BucketState::returned);
}

TEST_F(Nights, LeaveNothingOfAFlakyBucketInTheCorpus) {
  NightBucket b = bucket("x");
  b.bucket.flaky = true;
  EXPECT_EQ(run("20261101T020000Z-1", {b}).buckets[0].state, BucketState::flaky);
  EXPECT_TRUE(read_ledger(corpus_).empty());
  EXPECT_FALSE(std::filesystem::exists(corpus_ / "failing"));
  EXPECT_EQ(run("20261102T020000Z-1", {bucket("x")}).buckets[0].state, BucketState::fresh);
}

TEST_F(Nights, PutFirstWhatWantsAttentionFirst) {
  run("20261101T020000Z-1", {bucket("open"), bucket("back"), bucket("gone")});
  run("20261102T020000Z-1", {}, {"back"});
  NightBucket crash = bucket("crash"), flaky = bucket("flaky"), worse = bucket("worse");
  crash.bucket.failure_class = "crash";
  flaky.bucket.flaky = true;
  worse.bucket.share = 100;
  known_ = {{"quiet", "Ann", "2026-12-31", ""}};
  std::vector<NightBucket> all{bucket("quiet"), flaky,          bucket("open"),  bucket("new"),
                               worse,           bucket("back"), std::move(crash)};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].bucket.id != "open" && all[i].bucket.id != "back")
      nights::put_finding(folder_ / "20261103T020000Z-1", all[i], 10 + i, "minimal");
  std::vector<std::string> order;
  for (const NightBucket& b : run("20261103T020000Z-1", all, {"gone"}).buckets)
    order.push_back(b.bucket.id);
  EXPECT_THAT(order,
              ElementsAre("back", "crash", "worse", "new", "open", "flaky", "quiet", "gone"));
}

TEST_F(Nights, ThatArePublishedLateChangeNothingThatIsNewer) {
  run("20261101T020000Z-1", {bucket("x")});
  Night late = nights::night("20261102T020000Z-1");
  late.buckets = {bucket("x")};
  nights::put_finding(folder_ / late.id, late.buckets[0], 2, "minimal");
  classify(late, read_ledger(corpus_), {}, {}, folder_ / late.id);
  run("20261103T020000Z-1", {}, {"x"});
  publish(corpus_, late, folder_ / late.id);
  const LedgerEntry entry = read_ledger(corpus_).at("x");
  EXPECT_TRUE(entry.fixed);
  EXPECT_EQ(entry.fixed_in, "20261103T020000Z-1");
  EXPECT_EQ(entry.nights, 2);
  EXPECT_EQ(entry.last_seen, late.id);
}

TEST_F(Nights, AreClassifiedAlikeBeforeAndAfterTheyArePublished) {
  run("20261101T020000Z-1", {bucket("a"), bucket("b"), bucket("c")});
  run("20261102T020000Z-1", {}, {"b"});
  std::vector<NightBucket> found;
  for (const char* id : {"a", "b", "d"})
    found.push_back(in_folder("20261103T020000Z-1", id, 20 + found.size()));
  const Night n = run("20261103T020000Z-1", found, {"c"});
  ASSERT_EQ(n.buckets.size(), 4);
  Night again = n;
  classify(again, read_ledger(corpus_), {}, {"c"}, folder_ / n.id);
  EXPECT_EQ(report::to_json(again), report::to_json(n));
}

TEST(LedgerFile, IsReadAsItWasWritten) {
  LedgerFile ledger;
  ledger.nights = {"n1", "n2"};
  LedgerEntry& e = ledger.buckets["a \"b\"\n"];
  e = {true, "n1", "n2", "n3", "n4", 5, "p", "s", "c", "cause", "op", "why", {"x", "y"}, {"h"}};
  ledger.buckets["plain"] = {};
  const nights::Folder folder;
  nights::put(folder / "ledger.json", to_json(ledger));
  const LedgerFile read = read_ledger_file(folder.path());
  EXPECT_EQ(to_json(read), to_json(ledger));
  EXPECT_EQ(read.buckets.at("a \"b\"\n").reason, "why");
  EXPECT_THAT(read.buckets.at("a \"b\"\n").also, ElementsAre("x", "y"));
  EXPECT_EQ(read.buckets.at("a \"b\"\n").nights, 5);
}

TEST(LedgerFile, ThatIsDamagedIsRefusedByNameAndNotOverwritten) {
  LedgerFile ledger;
  ledger.buckets["x"] = {};
  const std::string whole = to_json(ledger);
  const nights::Folder folder;
  const Night n = nights::night("20261101T020000Z-1");
  nights::put(folder / "night/distilled/0123456789abcdef.case", "anything");
  for (std::size_t cut = 0; cut + 1 < whole.size(); cut += 7) {
    const std::string damaged = whole.substr(0, cut);
    nights::put(folder / "corpus/ledger.json", damaged);
    try {
      publish(folder / "corpus", n, folder / "night");
      ADD_FAILURE() << "accepted: " << damaged;
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), HasSubstr((folder / "corpus/ledger.json").string() + ": "));
    }
    EXPECT_EQ(nights::tree(folder / "corpus").size(), 1) << "nothing else was written";
    EXPECT_EQ(nights::content(folder / "corpus/ledger.json"), damaged);
  }
  for (const char* other :
       {R"({"schema": 9, "nights": [], "buckets": {}})", R"({"schema": 1, "buckets": {}})",
        R"({"schema": 1, "nights": [], "buckets": {"x": {}}})", "[]",
        R"({"schema": 1, "nights": [3], "buckets": {}})"}) {
    nights::put(folder / "corpus/ledger.json", other);
    EXPECT_THROW(read_ledger(folder / "corpus"), FileError) << other;
  }
}

}  // namespace
}  // namespace ulpfuzz::nightly
