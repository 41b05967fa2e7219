#include "../../nightly/fold.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "../runner/trial_subjects.hpp"

namespace ulpfuzz::nightly {
namespace {

namespace fs = std::filesystem;
using mutants::content;
using mutants::Scratch;

Bucket fold_bucket(const std::string& id, std::uint64_t count, unsigned reproduced,
                   unsigned tried) {
  Bucket b;
  b.id = id;
  b.property = "batched_vs_sliced";
  b.subject = "loops";
  b.count = count;
  b.reproduced = reproduced;
  b.tried = tried;
  b.flaky = tried > 0 && reproduced == 0;
  return b;
}

/// A campaign that found a bucket, with its file.
class Part {
 public:
  Part(fs::path folder, Bucket found, const std::string& file) {
    result.out = std::move(folder);
    found.case_file = result.out / (found.flaky ? "findings-flaky" : "findings") / found.id / file;
    fs::create_directories(found.case_file.parent_path());
    std::ofstream(found.case_file) << "case of " << result.out.filename().string();
    result.cases = 100;
    result.verdicts = {{"pass", 90}, {"fail", 10}};
    PairCounts& pair = result.pairs.emplace_back();
    pair.property = found.property;
    pair.subject = found.subject;
    pair.cases = 100;
    pair.share_max = 0.5;
    result.buckets.push_back(std::move(found));
  }
  CampaignResult result;
};

TEST(NightlyFold, AddsUpCountsAndKeepsTheFirstFinder) {
  const Scratch scratch;
  report::Night night;
  const Part random(scratch / "04-random", fold_bucket("a", 7, 3, 3), "1.case.json");
  const Part search(scratch / "05-search", fold_bucket("a", 5, 2, 3), "22.case.json");
  EXPECT_EQ(fold(night, random.result, "random", Fold::everything, 0, scratch / "night"), 1U);
  EXPECT_EQ(fold(night, search.result, "search", Fold::everything, 9, scratch / "night"), 0U);
  EXPECT_EQ(night.cases, 200U);
  EXPECT_EQ(night.verdicts.at("pass"), 180U);
  ASSERT_EQ(night.pairs.size(), 1U);
  EXPECT_EQ(night.pairs.front().cases, 200U);
  ASSERT_EQ(night.buckets.size(), 1U);
  const report::NightBucket& b = night.buckets.front();
  EXPECT_EQ(b.found_in, "random");
  EXPECT_EQ(b.bucket.count, 12U);
  EXPECT_EQ(b.bucket.reproduced, 5U);
  EXPECT_EQ(b.bucket.tried, 6U);
  EXPECT_EQ(b.bucket.case_file, "findings/a/1.case.json");
  for (const char* file : {"1.case.json", "22.case.json"})
    EXPECT_TRUE(fs::exists(scratch / "night" / "findings" / "a" / file)) << file;
}

TEST(NightlyFold, GivenCasesAreCountedOnceAndTheMinimalOneIsShown) {
  const Scratch scratch;
  report::Night night;
  const Part random(scratch / "04-random", fold_bucket("a", 7, 3, 3), "1.case.json");
  const Part shrink(scratch / "07-shrink", fold_bucket("a", 1, 3, 3), "minimal.case.json");
  fold(night, random.result, "random", Fold::everything, 0, scratch / "night");
  fold(night, shrink.result, "shrink", Fold::findings, 0, scratch / "night");
  EXPECT_EQ(night.cases, 100U);
  EXPECT_EQ(night.buckets.front().bucket.count, 7U);
  EXPECT_EQ(night.buckets.front().bucket.case_file, "findings/a/minimal.case.json");
  EXPECT_EQ(content(scratch / "night" / "findings" / "a" / "minimal.case.json"),
            "case of 07-shrink");
}

TEST(NightlyFold, WhatFailsAgainAfterAllLeavesTheQuarantine) {
  const Scratch scratch;
  report::Night night;
  const Part flaky(scratch / "04-random", fold_bucket("a", 1, 0, 3), "1.case.json");
  const Part real(scratch / "05-search", fold_bucket("a", 1, 3, 3), "2.case.json");
  fold(night, flaky.result, "random", Fold::everything, 0, scratch / "night");
  EXPECT_TRUE(night.buckets.front().bucket.flaky);
  EXPECT_TRUE(fs::exists(scratch / "night" / "findings-flaky" / "a" / "1.case.json"));
  fold(night, real.result, "search", Fold::everything, 0, scratch / "night");
  EXPECT_FALSE(night.buckets.front().bucket.flaky);
  EXPECT_FALSE(fs::exists(scratch / "night" / "findings-flaky" / "a"));
  EXPECT_TRUE(fs::exists(scratch / "night" / "findings" / "a" / "1.case.json"));
  EXPECT_TRUE(fs::exists(scratch / "night" / night.buckets.front().bucket.case_file));
}

TEST(NightlyFold, WhatNeverFailsAgainGoesToTheQuarantine) {
  const Scratch scratch;
  report::Night night;
  const Part cut(scratch / "04-random", fold_bucket("a", 1, 0, 0), "1.case.json");
  const Part again(scratch / "07-shrink", fold_bucket("a", 1, 0, 3), "1.case.json");
  fold(night, cut.result, "random", Fold::everything, 0, scratch / "night");
  EXPECT_EQ(night.buckets.front().bucket.case_file, "findings/a/1.case.json");
  fold(night, again.result, "shrink", Fold::findings, 0, scratch / "night");
  EXPECT_TRUE(night.buckets.front().bucket.flaky);
  EXPECT_EQ(night.buckets.front().bucket.case_file, "findings-flaky/a/1.case.json");
  EXPECT_TRUE(fs::exists(scratch / "night" / "findings-flaky" / "a" / "1.case.json"));
  EXPECT_FALSE(fs::exists(scratch / "night" / "findings" / "a"));
}

TEST(NightlyFold, BucketsWithOneMinimalCaseTakeTheNameOfTheMostFrequent) {
  const Scratch scratch;
  report::Night night;
  for (const auto& [id, count] : {std::pair("often", 90U), std::pair("rare", 2U)}) {
    const Part found(scratch / id, fold_bucket(id, count, 3, 3), std::string(id) + ".case.json");
    fold(night, found.result, "random", Fold::everything, 0, scratch / "night");
  }
  Part shrink(scratch / "07-shrink", fold_bucket("rare", 1, 3, 3), "minimal.case.json");
  shrink.result.buckets.front().also = {"often"};
  fold(night, shrink.result, "shrink", Fold::findings, 0, scratch / "night");
  ASSERT_EQ(night.buckets.size(), 1U);
  const Bucket& b = night.buckets.front().bucket;
  EXPECT_EQ(b.id, "often");
  EXPECT_EQ(b.count, 92U);
  EXPECT_EQ(b.also, std::vector<std::string>{"rare"});
  EXPECT_EQ(b.case_file, "findings/often/minimal.case.json");
  EXPECT_TRUE(fs::exists(scratch / "night" / b.case_file));
  EXPECT_TRUE(fs::exists(scratch / "night" / "findings" / "often" / "rare.case.json"));
  EXPECT_FALSE(fs::exists(scratch / "night" / "findings" / "rare"));
}

}  // namespace
}  // namespace ulpfuzz::nightly
