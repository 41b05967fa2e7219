#include "ulpfuzz/search/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

#include "feature_groups.hpp"
#include "search/cases.hpp"

namespace ulpfuzz::search {
namespace {

/// Has the trial this feature?
bool shows(const Case& c, const Verdict& v, std::uint32_t feature, bool gradient = false) {
  const auto all = features(c, v, gradient);
  return std::binary_search(all.begin(), all.end(), feature);
}

constexpr std::uint32_t number(Op op) { return static_cast<std::uint32_t>(op); }

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

TEST(Features, AreFewAndAscending) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t i = 0; i < 300; ++i) {
    const Case c = generators::case_from_seed(7, i);
    const auto all = features(c, passing(0.5), i % 2 == 1);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end());
    ASSERT_FALSE(all.empty());
    EXPECT_LT(all.back(), feature_count);
    EXPECT_EQ(all, features(c, passing(0.5), i % 2 == 1));
    seen.insert(all.begin(), all.end());
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
  Verdict v = passing(0.125);  // the mark of 2^-3 is the 37th
  EXPECT_EQ(level(0.125), 37u);
  EXPECT_TRUE(shows(c, v, share_marks(false, TierKind::sound) + 36));
  EXPECT_FALSE(shows(c, v, share_marks(false, TierKind::sound) + 37));
  EXPECT_FALSE(shows(c, v, share_marks(true, TierKind::sound)));
  EXPECT_TRUE(shows(c, v, share_marks(true, TierKind::sound) + 36, true));
  EXPECT_TRUE(shows(c, v, op_marks(number(Op::tanh), false) + 18));
  EXPECT_FALSE(shows(c, v, op_marks(number(Op::tanh), false) + 19));
  v.worst.tier = Tier::probabilistic;
  EXPECT_TRUE(shows(c, v, share_marks(false, TierKind::probabilistic) + 36));
  EXPECT_FALSE(shows(c, v, share_marks(false, TierKind::sound)));
  EXPECT_TRUE(shows(c, v, op_marks(number(Op::tanh), true) + 18));
  EXPECT_FALSE(shows(c, v, op_marks(number(Op::tanh), false)));
  v.first_op = "linear";
  EXPECT_TRUE(shows(c, v, op_marks(number(Op::linear), true) + 18));
  EXPECT_TRUE(shows(c, v, octave_feature(number(Op::linear), 10)));
  v.first_op = "derivative of relu";
  EXPECT_TRUE(shows(c, v, octave_feature(number(Op::derivative), 10)));
  v.first_op = "what no network has";
  EXPECT_TRUE(shows(c, v, octave_feature(op_numbers - 1, 10)));
}

TEST(Features, OfNoJudgementHaveNoShare) {
  Verdict v = passing(0.5);
  v.outcome = Outcome::vacuous;
  EXPECT_GE(features(small_case(), v, false).front(), op_octaves.first);
}

TEST(Features, NameValuesSplitAndSizes) {
  Case c = small_case();  // 6 rows, 5 -> 4
  c.inputs[0].data[3] = std::numeric_limits<float>::quiet_NaN();
  c.parameters[0].data[0] = -0.0f;
  c.parameters[0].data[1] = 0x1p-140f;
  const Verdict v = passing(0.5);
  EXPECT_TRUE(shows(c, v, value_feature(ValueClass::nan, true)));
  EXPECT_FALSE(shows(c, v, value_feature(ValueClass::nan, false)));
  EXPECT_TRUE(shows(c, v, value_feature(ValueClass::negative_zero, false)));
  EXPECT_TRUE(shows(c, v, value_feature(ValueClass::subnormal, false)));
  EXPECT_TRUE(shows(c, v, alignment_feature(2, 3, 1)));  // 6 = 2 x 3, 4, 5
  EXPECT_EQ(size_class(c), (1u * 4 + 1) * 4 + 1);        // batch 2..8, width 5..16, depth 2
  EXPECT_TRUE(shows(c, v, sizes.first + size_class(c)));
}

TEST(Features, NameKindsOfSplit) {
  Case c = small_case();
  const auto is = [&c](Split s) { return shows(c, passing(0.5), split_feature(s)); };
  EXPECT_TRUE(is(Split::whole));
  c.split = {{{0}, 0}, {{1, 2, 3, 4, 5}, 0}};
  EXPECT_TRUE(is(Split::one_and_rest));
  EXPECT_FALSE(is(Split::whole));
  c.split = {{{0, 1, 2}, 0}, {{3, 5, 4}, 0}};
  EXPECT_TRUE(is(Split::halves));
  EXPECT_TRUE(is(Split::unsorted));
  c.split = {{{0, 1, 2}, 2}, {{}, 0}, {{1, 2}, 0}};
  EXPECT_TRUE(is(Split::padding));
  EXPECT_TRUE(is(Split::empty_slice));
  EXPECT_TRUE(is(Split::repeated));
  EXPECT_FALSE(is(Split::unsorted));
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
