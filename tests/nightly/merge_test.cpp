#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "night_folders.hpp"
#include "shards.hpp"
#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {
namespace {

namespace fs = std::filesystem;
using report::Night;

/// Merges folders below `place` into place/out.
Night merged(const nights::Folder& place, const std::vector<std::string>& folders,
             const std::string& out) {
  MergeOptions o;
  for (const std::string& name : folders) o.folders.push_back(place / name);
  o.out = place / out;
  return merge(o);
}

/// Some shards on disk: 0, 1, 2, ...
class Shards {
 public:
  explicit Shards(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      nights.push_back(nights::random_shard(place / std::to_string(i), i, count));
  }
  const nights::Folder place;
  std::vector<Night> nights;
};

void expect_sums(const Shards& s, const Night& all) {
  std::uint64_t cases = 0, elements = 0, linears = 0, last = 0;
  std::map<std::string, std::uint64_t> verdicts, found, pairs, bins;
  std::map<std::string, double> shares;
  for (const Night& n : s.nights) {
    cases += n.cases;
    elements += n.elements;
    linears += n.statistics.ops[2];
    for (const auto& [verdict, count] : n.verdicts) verdicts[verdict] += count;
    for (const report::NightBucket& b : n.buckets) found[b.bucket.id] += b.bucket.count;
    for (const PairCounts& p : n.pairs) {
      pairs[p.property + p.subject] += p.cases;
      bins[p.property + p.subject] += p.shares[3];
      double& share = shares[p.property + p.subject];
      share = std::max(share, p.share_max);
    }
    last += n.over_time.back().line.cases;
  }
  RC_ASSERT(all.cases == cases);
  RC_ASSERT(all.elements == elements);
  RC_ASSERT(all.verdicts == verdicts);
  RC_ASSERT(all.statistics.ops[2] == linears);
  RC_ASSERT(all.pairs.size() == pairs.size());
  for (const PairCounts& p : all.pairs) {
    RC_ASSERT(p.cases == pairs[p.property + p.subject]);
    RC_ASSERT(p.shares[3] == bins[p.property + p.subject]);
    RC_ASSERT(p.share_max == shares[p.property + p.subject]);
  }
  std::uint64_t counted = 0, failures = 0;
  for (const report::NightBucket& b : all.buckets) counted += b.bucket.count;
  for (const auto& [id, count] : found) failures += count;
  RC_ASSERT(counted == failures);
  // Lines are in order of time; the last of a phase has all its cases.
  const std::string& phase = s.nights[0].over_time.back().phase;
  const auto line =
      std::find_if(all.over_time.rbegin(), all.over_time.rend(),
                   [&](const report::Sample& sample) { return sample.phase == phase; });
  RC_ASSERT(line != all.over_time.rend());
  RC_ASSERT(line->line.cases == last);
  RC_ASSERT(std::is_sorted(all.over_time.begin(), all.over_time.end(),
                           [](auto& a, auto& b) { return a.line.seconds < b.line.seconds; }));
  RC_ASSERT(all.shards.size() == 3U);
}

void expect_files(const Shards& s, const Night& all) {
  std::map<std::string, std::map<std::vector<std::uint64_t>, std::set<std::string>>> minimal;
  std::set<std::string> corpus;
  std::map<std::string, std::set<std::string>> originals;
  for (const char* shard : {"0", "1", "2"})
    for (const auto& [name, bytes] : nights::tree(s.place / shard)) {
      const fs::path file = name;
      if (name.starts_with("corpus/")) corpus.insert(name);
      if (!name.starts_with("findings") || !name.ends_with(".case.json")) continue;
      const std::string bucket = file.parent_path().string();
      const Case c = read_case(s.place / shard / name).value;
      if (file.filename() == "minimal.case.json")
        minimal[bucket][generators::complexity(c)].insert(content_hash(c));
      else
        originals[bucket].insert(name);
    }
  const auto files = nights::tree(s.place / "all");
  for (const std::string& name : corpus) RC_ASSERT(files.count(name) == 1U);
  for (const auto& [bucket, by_complexity] : minimal) {
    const Case kept = read_case(s.place / "all" / bucket / "minimal.case.json").value;
    RC_ASSERT(content_hash(kept) == *by_complexity.begin()->second.begin());
    RC_ASSERT(files.at(bucket + "/minimal.txt") == "account of " + content_hash(kept));
    RC_ASSERT(files.at(bucket + "/repro.cpp") == "// " + content_hash(kept));
  }
  for (const auto& [bucket, names] : originals) {
    for (const std::string& name : names) RC_ASSERT(files.count(name) == 1U);
  }
  for (const report::NightBucket& b : all.buckets)
    RC_ASSERT(b.bucket.case_file.empty() || files.count(b.bucket.case_file.string()) == 1U);
}

/// Enough: a night is large.
constexpr int draws = 25;

RC_GTEST_PROP(Merge, IsTheUnionOfItsShardsWhateverTheirOrderAndGrouping, ()) {
  static int passed = 0;
  if (passed >= draws) return;
  const Shards s(3);
  const Night all = merged(s.place, {"0", "1", "2"}, "all");
  expect_sums(s, all);
  expect_files(s, all);
  merged(s.place, {"2", "1", "2"}, "two");
  merged(s.place, {"0", "two"}, "grouped");
  merged(s.place, {"0", "two", "1"}, "two");
  const auto files = nights::tree(s.place / "all");
  RC_ASSERT(files.count("summary.json") == 1U);
  RC_ASSERT(nights::differing(files, nights::tree(s.place / "grouped")).empty());
  RC_ASSERT(nights::differing(files, nights::tree(s.place / "two")).empty());
  merged(s.place, {"1"}, "all");
  RC_ASSERT(nights::differing(files, nights::tree(s.place / "all")).empty());
  ++passed;
}

TEST(Merge, KeepsTheThousandSimplestOfABucketThatNeverEnds) {
  const nights::Folder place;
  std::map<std::vector<std::uint64_t>, std::set<std::string>> simplest;
  for (std::uint64_t shard = 0; shard < 2; ++shard) {
    Night n = nights::night(fmt::format("20261101T020000Z-7-shard{}of2", shard));
    report::NightBucket b = nights::bucket("endless");
    for (std::uint64_t i = 0; i < 700; ++i) {
      const std::uint64_t number = 600 * shard + i;  // a hundred are of both
      nights::put_finding(place / std::to_string(shard), b, number);
      const Case c = nights::small_case(number);
      simplest[generators::complexity(c)].insert(content_hash(c));
    }
    n.buckets = {b};
    nights::put_night(place / std::to_string(shard), n);
  }
  merged(place, {"0", "1"}, "out");
  std::set<std::string> expected, kept;
  for (const auto& [complexity, hashes] : simplest)
    for (const std::string& hash : hashes)
      if (expected.size() < 1000) expected.insert(hash);
  for (const auto& entry : fs::directory_iterator(place / "out/findings/endless")) {
    const std::string name = entry.path().filename().string();
    const std::string hash = name.substr(0, name.find('.'));
    if (name.ends_with(".txt"))
      EXPECT_EQ(nights::content(entry.path()), "account of " + hash);
    else
      kept.insert(hash);
  }
  EXPECT_EQ(expected.size(), 1000U);
  EXPECT_EQ(kept, expected);
}

TEST(Merge, CountsARateThatAllShardsTogetherHad) {
  const nights::Folder place;
  // Two shards of ten cases a second, whose lines are half a second apart.
  for (int shard = 0; shard < 2; ++shard) {
    Night n = nights::night(fmt::format("20261101T020000Z-7-shard{}of2", shard));
    n.phases.resize(1);
    n.phases[0].name = "random";
    for (int k = 0; k <= 3; ++k) {
      report::Sample s{"random", {}};
      s.line.seconds = 30.0 * k + 0.5 * shard;
      s.line.cases = s.line.elements = 300U * static_cast<unsigned>(k);
      n.over_time.push_back(std::move(s));
    }
    nights::put_night(place / std::to_string(shard), n);
  }
  const Night all = merged(place, {"0", "1"}, "out");
  ASSERT_EQ(all.over_time.size(), 8U);
  for (std::size_t i = 2; i + 1 < all.over_time.size(); ++i) {
    const StatisticsLine& a = all.over_time[i - 1].line;
    const StatisticsLine& b = all.over_time[i].line;
    EXPECT_NEAR(static_cast<double>(b.cases - a.cases), 20 * (b.seconds - a.seconds), 1) << i;
    EXPECT_EQ(a.elements, a.cases);
  }
  EXPECT_EQ(all.over_time.back().line.cases, 1800U);
}

TEST(Merge, CallsAPhaseFailedOnlyIfItFailedEverywhere) {
  const nights::Folder place;
  for (const char* shard : {"a", "b", "c"}) {
    Night n = nights::night(fmt::format("20261101T020000Z-7-shard{}", shard));
    n.phases.resize(1);
    n.phases[0].name = "self-check";
    n.phases[0].state = *shard == 'c' ? report::Phase::State::done : report::Phase::State::failed;
    nights::put_night(place / shard, n);
  }
  EXPECT_EQ(merged(place, {"a", "b"}, "two").phases[0].state, report::Phase::State::failed);
  EXPECT_EQ(merged(place, {"a", "b", "c"}, "three").phases[0].state, report::Phase::State::cut);
}

TEST(Merge, CountsABucketForThePhaseThatFoundIt) {
  const nights::Folder place;
  Night n = nights::night("20261101T020000Z-7-shard0of1");
  for (const char* phase : {"regressions", "replay", "random"})
    n.phases.emplace_back().name = phase;
  n.buckets = {nights::bucket("a"), nights::bucket("b")};
  n.buckets[0].found_in = "kept cases";
  nights::put_finding(place / "a", n.buckets[0], 1);
  nights::put_finding(place / "a", n.buckets[1], 2);
  nights::put_night(place / "a", n);
  const Night all = merged(place, {"a"}, "out");
  ASSERT_EQ(all.phases.size(), 3);
  EXPECT_EQ(all.phases[0].buckets, 1) << "regressions, which runs kept cases";
  EXPECT_EQ(all.phases[1].buckets, 0);
  EXPECT_EQ(all.phases[2].buckets, 1);
}

TEST(Merge, KeepsDifferencesBetweenTheMachines) {
  const nights::Folder place;
  for (const char* shard : {"a", "b", "c"}) {
    Night n = nights::night(fmt::format("20261101T020000Z-7-shard{}", shard));
    n.environment.machine = {{"os", "linux"}, {"cpu", *shard == 'c' ? "old" : "new"}};
    if (*shard == 'b') n.environment.variables = {{"OMP_NUM_THREADS", "4"}};
    if (*shard == 'a') n.unavailable = {{"cublas", "no device"}};
    report::Phase p;
    p.name = "random";
    p.state = *shard == 'b' ? report::Phase::State::cut : report::Phase::State::done;
    p.cases = 5;
    n.phases = {p};
    nights::put_night(place / shard, n);
  }
  const Night all = merged(place, {"a", "b", "c"}, "out");
  EXPECT_EQ(all.environment.machine.at("os"), "linux");
  EXPECT_EQ(all.environment.machine.at("cpu"), "new (2 of 3 shards); old (1 of 3 shards)");
  EXPECT_EQ(all.environment.variables.at("OMP_NUM_THREADS"), "4 (1 of 3 shards)");
  EXPECT_EQ(all.unavailable.at("cublas"), "no device (1 of 3 shards)");
  ASSERT_EQ(all.phases.size(), 1);
  EXPECT_EQ(all.phases[0].state, report::Phase::State::cut);
  EXPECT_EQ(all.phases[0].cases, 15);
  EXPECT_EQ(all.exit_code, 0);
  EXPECT_EQ(all.id, "20261101T020000Z-7-merged3");
}

}  // namespace
}  // namespace ulpfuzz::nightly
