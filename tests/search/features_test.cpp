#include "ulpfuzz/search/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "search/cases.hpp"

namespace ulpfuzz::search {
namespace {

std::set<std::string> words(const Case& c, const Verdict& v, bool gradient = false) {
  std::set<std::string> all;
  for (const std::uint32_t f : features(c, v, gradient)) all.insert(describe_feature(f));
  return all;
}

TEST(Level, HasFourMarksAnOctave) {
  EXPECT_EQ(level(0), 0u);
  EXPECT_EQ(level(0x1.fffffffffffffp-13), 0u);
  EXPECT_EQ(level(0x1p-12), 1u);
  EXPECT_EQ(level(0x1p-11), 5u);
  EXPECT_EQ(level(1), 49u);
  EXPECT_EQ(level(0.999999), 48u);
  EXPECT_EQ(level(15.9), levels);
  EXPECT_EQ(level(1e30), levels);
  EXPECT_EQ(level(std::numeric_limits<double>::infinity()), levels);
  EXPECT_EQ(level(std::numeric_limits<double>::quiet_NaN()), 0u);
}

TEST(Features, AreFewAscendingAndDescribed) {
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case c = generators::case_from_seed(7, i);
    const auto all = features(c, passing(0.5), i % 2 == 1);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end());
    ASSERT_FALSE(all.empty());
    EXPECT_LT(all.back(), feature_count);
    EXPECT_EQ(all, features(c, passing(0.5), i % 2 == 1));
    for (const std::uint32_t f : all) seen.insert(describe_feature(f));
  }
  EXPECT_GT(seen.size(), 100u);
}

TEST(Features, OfALargerShareHoldThoseOfASmaller) {
  const Case c = small_case();
  for (const bool gradient : {false, true}) {
    const auto low = features(c, passing(0.01), gradient),
               high = features(c, passing(0.3), gradient);
    std::size_t lost = 0;
    for (const std::uint32_t f : low)
      lost += std::binary_search(high.begin(), high.end(), f) ? 0 : 1;
    EXPECT_LE(lost, 1u);  // the octave is one of a group
    EXPECT_GT(high.size(), low.size() + 20);
  }
}

TEST(Features, TellPropertiesTiersAndOpsApart) {
  const Case c = small_case();
  Verdict v = passing(0.125);
  EXPECT_TRUE(words(c, v).count("share of outputs from 2^-3, sound bound"));
  EXPECT_FALSE(words(c, v).count("share of outputs from 2^-2.75, sound bound"));
  EXPECT_TRUE(words(c, v, true).count("share of gradients from 2^-3, sound bound"));
  EXPECT_TRUE(words(c, v).count("first op tanh, share from 2^-3"));
  v.worst.tier = Tier::probabilistic;
  EXPECT_TRUE(words(c, v).count("share of outputs from 2^-3, probabilistic bound"));
  EXPECT_TRUE(words(c, v).count("first op tanh, share from 2^-3, probabilistic bound"));
  v.first_op = "linear";
  EXPECT_TRUE(words(c, v).count("first op linear, share from 2^-3, probabilistic bound"));
  EXPECT_TRUE(words(c, v).count("first op linear, octave of share from 2^-3"));
  v.first_op = "derivative of relu";
  EXPECT_TRUE(words(c, v).count("first op derivative, octave of share from 2^-3"));
  v.first_op = "what no network has";
  EXPECT_TRUE(words(c, v).count("first op other, octave of share from 2^-3"));
}

TEST(Features, OfNoJudgementHaveNoShare) {
  Verdict v = passing(0.5);
  v.outcome = Outcome::vacuous;
  for (const std::string& f : words(small_case(), v)) {
    EXPECT_EQ(f.find("share of"), std::string::npos) << f;
  }
}

TEST(Features, NameValuesSplitAndSizes) {
  Case c = small_case();  // 6 rows, 5 -> 4
  c.inputs[0].data[3] = std::numeric_limits<float>::quiet_NaN();
  c.parameters[0].data[0] = -0.0f;
  c.parameters[0].data[1] = 0x1p-140f;
  auto all = words(c, passing(0.5));
  EXPECT_TRUE(all.count("NaN in inputs"));
  EXPECT_FALSE(all.count("NaN in parameters"));
  EXPECT_TRUE(all.count("-0 in parameters"));
  EXPECT_TRUE(all.count("subnormal in parameters"));
  EXPECT_TRUE(all.count("largest product m 2x, n 4x, k odd"));
  EXPECT_TRUE(all.count("batch 2..8, width 5..16, depth 2"));
  c.split = {{{0}, 0}, {{1, 2, 3, 4, 5}, 0}};
  EXPECT_TRUE(words(c, passing(0.5)).count("split one row and the rest"));
  c.split = {{{0, 1, 2}, 0}, {{3, 5, 4}, 0}};
  all = words(c, passing(0.5));
  EXPECT_TRUE(all.count("split halves"));
  EXPECT_TRUE(all.count("split out of order"));
  c.split = {{{0, 1, 2}, 2}, {{}, 0}, {{1, 2}, 0}};
  all = words(c, passing(0.5));
  EXPECT_TRUE(all.count("split with padding"));
  EXPECT_TRUE(all.count("split with an empty slice"));
  EXPECT_TRUE(all.count("split with repeated rows"));
  EXPECT_FALSE(all.count("split out of order"));
}

TEST(SizeClass, IsBelowItsNumberAndSeparates) {
  std::set<std::uint32_t> met;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint32_t s = size_class(generators::case_from_seed(3, i));
    EXPECT_LT(s, size_classes);
    met.insert(s);
  }
  EXPECT_GT(met.size(), 16u);
}

}  // namespace
}  // namespace ulpfuzz::search
