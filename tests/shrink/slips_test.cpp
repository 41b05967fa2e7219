#include <gtest/gtest.h>

#include <set>

#include "shrink/judges.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

TEST(Slips, AreHarvestedOnceEachAndNeverAccepted) {
  // Below five rows another fault shows.
  const Judge two_faults = [](const Case& c) {
    return c.batch() >= 5 ? failure() : failure(1, "overrun", FailureClass::out_of_bounds);
  };
  std::set<std::string> harvested;
  ShrinkOptions options;
  options.slipped = [&](const Case& c, const Verdict& v) {
    EXPECT_EQ(v.failure, FailureClass::out_of_bounds);
    EXPECT_LT(c.batch(), 5u);
    EXPECT_TRUE(harvested.insert(content_hash(c)).second);
  };
  const ShrinkResult r = shrink(two_layers(20, 6, 5), two_faults, options);
  EXPECT_EQ(r.value.batch(), 5u);
  EXPECT_EQ(r.verdict.failure, FailureClass::beyond_bound);
  EXPECT_GT(r.slips, 3u);
  EXPECT_EQ(r.slips, harvested.size());
  EXPECT_FALSE(r.neighbour) << "nothing passes";
}

TEST(Slips, AreNotWhatFailsWithLessMargin) {
  const Judge judge = [](const Case& c) { return c.batch() >= 5 ? failure(100) : failure(1.01); };
  const ShrinkResult r = shrink(two_layers(20, 6, 5), judge);
  EXPECT_EQ(r.value.batch(), 5u);
  EXPECT_EQ(r.slips, 0u);
}

TEST(Slips, AreOtherCausesToo) {
  const Judge judge = [](const Case& c) {
    return failure(100, c.batch() >= 5 ? "doubled" : "row leak");
  };
  const ShrinkResult r = shrink(two_layers(20, 6, 5), judge);
  EXPECT_EQ(r.value.batch(), 5u);
  EXPECT_EQ(r.verdict.cause, "doubled");
  EXPECT_GT(r.slips, 0u);
}

TEST(Slips, AreOtherOpsToo) {
  const Judge judge = [](const Case& c) {
    Verdict v = failure();
    v.first_op = longest_reduction(c) >= 3 ? "linear" : "tanh";
    return v;
  };
  const ShrinkResult r = shrink(two_layers(20, 6, 5), judge);
  EXPECT_EQ(longest_reduction(r.value), 3u);
  EXPECT_GT(r.slips, 0u);
}

TEST(SameFailure, KeepsTheClass) {
  EXPECT_TRUE(same_failure(failure(), failure()));
  EXPECT_FALSE(same_failure(failure(), Verdict{}));
  EXPECT_FALSE(same_failure(failure(), failure(9, "unexplained", FailureClass::unwritten)));
}

TEST(SameFailure, KeepsTheCauseWhereTheSmallCaseCanTellIt) {
  const Verdict named = failure(100, "row leak");
  Verdict small = failure();
  EXPECT_TRUE(same_failure(named, small)) << "too small to say";
  small.reason = "off by 3; looks like: zero or row leak";
  EXPECT_TRUE(same_failure(named, small));
  small.reason = "off by 3; looks like: zero or doubled";
  EXPECT_FALSE(same_failure(named, small)) << "it is no row leak";
  EXPECT_TRUE(same_failure(named, failure(100, "row leak")));
  EXPECT_FALSE(same_failure(named, failure(100, "doubled")));
}

TEST(SameFailure, AllowsANewNameOnlyIfTheOriginalAllowsIt) {
  Verdict unnamed = failure();
  EXPECT_TRUE(same_failure(unnamed, failure(100, "doubled")));
  unnamed.reason = "off by 3; looks like: doubled";
  EXPECT_TRUE(same_failure(unnamed, failure(100, "doubled")));
  EXPECT_FALSE(same_failure(unnamed, failure(100, "zero")));
}

TEST(SameFailure, KeepsTheKindOfOpUnlessOneCauseExplainsBoth) {
  const auto at = [](const char* op, const char* cause = "unexplained") {
    Verdict v = failure(100, cause);
    v.first_op = op;
    return v;
  };
  EXPECT_TRUE(same_failure(at("gelu_tanh"), at("relu")));
  EXPECT_TRUE(same_failure(at("linear"), at("outer_sum")));
  EXPECT_FALSE(same_failure(at("linear"), at("relu")));
  EXPECT_FALSE(same_failure(at("softmax"), at("layer_norm")));
  EXPECT_FALSE(same_failure(at("relu"), at("derivative of relu")));
  EXPECT_TRUE(same_failure(at("linear"), at("")));
  EXPECT_TRUE(same_failure(at("linear", "flushed"), at("relu", "flushed")));
  Verdict guess = at("relu");
  guess.reason = "; looks like: flushed or zero";
  EXPECT_FALSE(same_failure(at("linear", "flushed"), guess));
}

TEST(SameFailure, KeepsTheOpAtWhichBitsPart) {
  Verdict tanh = failure(1, "unexplained", FailureClass::not_bitwise);
  tanh.first_op = "tanh";
  Verdict relu = tanh;
  relu.first_op = "relu";
  EXPECT_TRUE(same_failure(tanh, tanh));
  EXPECT_FALSE(same_failure(tanh, relu));
}

TEST(SameFailure, KeepsWhatBitsDependOn) {
  Verdict size = failure(1, "batch size", FailureClass::not_bitwise);
  size.first_op = "linear";
  Verdict row = size;
  row.cause = "single row";
  EXPECT_FALSE(same_failure(size, row));
  EXPECT_TRUE(same_failure(size, size));
}

TEST(SameFailure, KeepsUpToTwiceTheBound) {
  EXPECT_FALSE(same_failure(failure(100), failure(1.9)));
  EXPECT_TRUE(same_failure(failure(100), failure(2)));
  EXPECT_TRUE(same_failure(failure(3), failure(1.5)));
  EXPECT_FALSE(same_failure(failure(3), failure(1.4)));
  EXPECT_TRUE(same_failure(failure(1.2), failure(1.01)));
}

TEST(Slips, OfTwoRealFaultsDoNotHappen) {
  const Registry faults = planted_faults();
  const Subject* a = faults.find("fault/drops_last_product");
  const Subject* b = faults.find("fault/unwritten_tail");
  ASSERT_TRUE(a != nullptr && b != nullptr);
  CheckContext context;
  const auto& property = properties::batched_vs_sliced;
  // One fault above four rows, the other one below.
  const Judge judge = [&](const Case& c) {
    return property.check(c, c.batch() > 4 ? *a : *b, {}, context);
  };
  std::uint64_t starts = 0, slips = 0;
  for (std::uint64_t i = 0; i < 60 && starts < 8; ++i) {
    const Case c = generators::case_from_seed(7, i);
    if (c.batch() <= 4 || !judge(c).failed()) continue;
    ++starts;
    const ShrinkResult r = shrink(c, judge);
    EXPECT_EQ(r.verdict.failure, FailureClass::beyond_bound);
    EXPECT_EQ(r.value.batch(), 5u) << describe(r.value);
    slips += r.slips;
  }
  EXPECT_EQ(starts, 8u);
  EXPECT_GT(slips, 0u);
}

}  // namespace
}  // namespace ulpfuzz
