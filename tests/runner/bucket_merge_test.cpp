#include "bucket_merge.hpp"

#include <gmock/gmock.h>

namespace ulpfuzz {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

CountedBucket bucket(const std::string& cause, std::uint64_t count, const std::string& minimal,
                     const std::string& op = "linear") {
  CountedBucket b;
  b.bucket.id = op + "-" + cause;
  b.bucket.property = "batched_vs_sliced";
  b.bucket.subject = "s";
  b.bucket.failure_class = "beyond_bound";
  b.bucket.cause = cause;
  b.bucket.first_op = b.shown_op = op;
  b.bucket.count = count;
  b.bucket.case_file = minimal;
  b.minimal = minimal;
  b.complexity = {minimal.size()};
  return b;
}

TEST(MergedBuckets, AddsAnUnexplainedOneToTheNamedOneAndKeepsTheSimplerCase) {
  const auto all = merged_buckets({bucket("unexplained", 9, "a"), bucket("row leak", 2, "bb")});
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].cause, "row leak");
  EXPECT_EQ(all[0].count, 11);
  EXPECT_EQ(all[0].case_file, "a");
  EXPECT_THAT(all[0].also, ElementsAre("linear-unexplained"));
}

TEST(MergedBuckets, LeavesAnUnexplainedOneAloneBetweenTwoNamedOnes) {
  const auto all = merged_buckets(
      {bucket("unexplained", 9, "a"), bucket("row leak", 4, "bb"), bucket("doubled", 1, "cc")});
  EXPECT_EQ(all.size(), 3);
}

TEST(MergedBuckets, AddsAnUnexplainedOneToTheNamedOneThatHasNineTenths) {
  const auto all = merged_buckets(
      {bucket("unexplained", 9, "a"), bucket("row leak", 90, "bb"), bucket("doubled", 10, "cc")});
  ASSERT_EQ(all.size(), 2);
  EXPECT_EQ(all[0].count, 99);
}

TEST(MergedBuckets, MergesNamedOnesOnlyByTheirMinimalCase) {
  EXPECT_EQ(merged_buckets({bucket("row leak", 3, "a"), bucket("doubled", 5, "b")}).size(), 2);
  const auto all = merged_buckets({bucket("row leak", 3, "a"), bucket("doubled", 5, "a")});
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].cause, "doubled");
  EXPECT_EQ(all[0].count, 8);
}

TEST(MergedBuckets, DoesNotTakeMissingMinimalCasesForTheSame) {
  EXPECT_EQ(merged_buckets({bucket("row leak", 3, ""), bucket("doubled", 5, "")}).size(), 2);
}

TEST(MergedBuckets, KeepsClassesOpsAndSubjectsApart) {
  CountedBucket other_class = bucket("unexplained", 1, "a");
  other_class.bucket.failure_class = "nonfinite_mismatch";
  CountedBucket other_subject = bucket("unexplained", 1, "bb");
  other_subject.bucket.subject = "t";
  const auto all = merged_buckets({bucket("row leak", 7, "bb"), other_class, other_subject,
                                   bucket("unexplained", 1, "ccc", "tanh")});
  EXPECT_EQ(all.size(), 4);
  for (const Bucket& b : all) EXPECT_THAT(b.also, IsEmpty());
}

TEST(MergedBuckets, BelievesTheSmallCaseAboutTheOpOfAnUnexplainedOne) {
  CountedBucket strange = bucket("unexplained", 1, "a", "tanh");
  strange.shown_op = "linear";
  const auto all =
      merged_buckets({strange, bucket("unexplained", 2, "bb"), bucket("row leak", 7, "cc")});
  ASSERT_EQ(all.size(), 1);
  EXPECT_EQ(all[0].count, 10);
  EXPECT_EQ(all[0].first_op, "linear");
  EXPECT_THAT(all[0].also, UnorderedElementsAre("tanh-unexplained", "linear-unexplained"));
}

TEST(MergedBuckets, IsFlakyOnlyIfAllAre) {
  CountedBucket flaky = bucket("unexplained", 1, "a");
  flaky.bucket.flaky = true;
  EXPECT_FALSE(merged_buckets({flaky, bucket("row leak", 1, "bb")}).at(0).flaky);
}

}  // namespace
}  // namespace ulpfuzz
