#include "ulpfuzz/shrink/shrink.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "shrink/judges.hpp"

namespace ulpfuzz {
namespace {

TEST(Shrink, EndsAtTheSimplestCaseThatFails) {
  const auto fails = [](const Case& c) { return c.batch() >= 5 && longest_reduction(c) >= 3; };
  const ShrinkResult r = shrink(two_layers(40, 17, 9), failing_where(fails));
  EXPECT_EQ(r.stop, ShrinkStop::fixed_point);
  EXPECT_EQ(r.value.batch(), 5u);
  EXPECT_EQ(longest_reduction(r.value), 3u);
  EXPECT_EQ(r.value.network.nodes().size(), 3u) << describe(r.value);
  for (const Tensor& t : r.value.parameters)
    for (const float x : t.data) EXPECT_TRUE(x == 0 || x == 1) << x;
  EXPECT_TRUE(r.verdict.failed());
  EXPECT_LT(generators::complexity(r.value), generators::complexity(two_layers(40, 17, 9)));
}

TEST(Shrink, CostsAFewEvaluationsAnElementAndNotItsSquare) {
  // Only the values decide: all 64 inputs of the batch that are not 0 are needed.
  const auto needed = [](const Case& c) {
    if (c.batch() != 8 || c.inputs.size() != 1 || c.inputs[0].cols != 8) return false;
    const auto& data = c.inputs[0].data;
    return std::ranges::none_of(data, [](float x) { return x == 0; });
  };
  const ShrinkResult r = shrink(two_layers(8, 8, 1), failing_where(needed));
  EXPECT_EQ(r.stop, ShrinkStop::fixed_point);
  EXPECT_TRUE(needed(r.value));
  EXPECT_LE(r.evaluations, 1500u);
}

TEST(Shrink, IsTheSameEveryTime) {
  const Judge judge = failing_where([](const Case& c) { return longest_reduction(c) >= 4; });
  const ShrinkResult a = shrink(two_layers(12, 9, 7), judge);
  const ShrinkResult b = shrink(two_layers(12, 9, 7), judge);
  EXPECT_TRUE(identical(a.value, b.value));
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.accepted, b.accepted);
}

TEST(Shrink, OfWhatPassesIsTheCaseItself) {
  const Case c = two_layers(3, 2, 2);
  const ShrinkResult r = shrink(c, [](const Case&) { return Verdict{}; });
  EXPECT_EQ(r.stop, ShrinkStop::not_failing);
  EXPECT_TRUE(identical(r.value, c));
  EXPECT_EQ(r.evaluations, 1u);
  EXPECT_FALSE(r.verdict.failed());
  EXPECT_TRUE(r.ladder.empty());
}

TEST(Shrink, AcceptsOnlyWhatIsSimplerAndFailsAlikeAndSaysSo) {
  const Judge judge = failing_where([](const Case& c) { return c.batch() >= 3; });
  std::vector<std::uint64_t> last = generators::complexity(two_layers(20, 6, 5));
  std::uint64_t accepted = 0, before = 0;
  ShrinkOptions options;
  options.accepted = [&](const Case& c, const Verdict& v, std::uint64_t evaluations) {
    EXPECT_LT(generators::complexity(c), last);
    EXPECT_TRUE(v.failed());
    EXPECT_GT(evaluations, before);
    EXPECT_NO_THROW(validate(c));
    last = generators::complexity(c);
    before = evaluations;
    ++accepted;
  };
  const ShrinkResult r = shrink(two_layers(20, 6, 5), judge, options);
  EXPECT_GT(accepted, 3u);
  EXPECT_EQ(r.accepted, accepted);
  EXPECT_EQ(generators::complexity(r.value), last);
}

TEST(Shrink, CountsThePassesThatItWent) {
  const Judge judge = failing_where([](const Case& c) { return c.batch() >= 3; });
  const ShrinkResult r = shrink(two_layers(20, 6, 5), judge);
  ASSERT_EQ(r.passes.size(), generators::passes().size());
  std::uint64_t tried = 0, accepted = 0;
  for (std::size_t i = 0; i < r.passes.size(); ++i) {
    EXPECT_EQ(r.passes[i].name, generators::passes()[i].name);
    EXPECT_LE(r.passes[i].accepted, r.passes[i].tried);
    tried += r.passes[i].tried;
    accepted += r.passes[i].accepted;
  }
  EXPECT_GT(accepted, 0u);
  EXPECT_LE(accepted, r.accepted);
  EXPECT_LT(tried, r.evaluations);
  EXPECT_GT(2 * tried, r.evaluations);
}

TEST(Shrink, JudgesNoCaseTwice) {
  std::set<std::string> seen;
  std::uint64_t judged = 0;
  const ShrinkResult r = shrink(two_layers(9, 5, 4), [&](const Case& c) {
    ++judged;
    EXPECT_TRUE(seen.insert(content_hash(c)).second);
    return c.batch() >= 2 ? failure(c.batch() >= 5 ? 64 : 4) : Verdict{};
  });
  EXPECT_EQ(judged, r.evaluations);
  EXPECT_GT(judged, 20u);
}

TEST(Certify, FindsNothingInAResultAndSomethingInAStart) {
  const auto fails = [](const Case& c) { return c.batch() >= 5 && longest_reduction(c) >= 3; };
  const ShrinkResult r = shrink(two_layers(40, 17, 9), failing_where(fails));
  const Certificate sure = certify(r.value, r.before, failing_where(fails));
  EXPECT_TRUE(sure.minimal()) << sure.edit;
  EXPECT_GT(sure.evaluations, 5u);
  const Certificate not_yet = certify(two_layers(40, 17, 9), r.before, failing_where(fails));
  EXPECT_FALSE(not_yet.minimal());
  ASSERT_TRUE(not_yet.simpler);
  EXPECT_FALSE(not_yet.edit.empty());
  EXPECT_TRUE(fails(not_yet.simpler->value));
  EXPECT_LT(generators::complexity(not_yet.simpler->value),
            generators::complexity(two_layers(40, 17, 9)));
}

TEST(Certify, SaysWhyItIsNoCertificate) {
  const Case c = two_layers(2, 2, 2);
  const Certificate passing = certify(c, failure(), [](const Case&) { return Verdict{}; });
  EXPECT_EQ(passing.stop, ShrinkStop::not_failing);
  EXPECT_FALSE(passing.minimal());
  ShrinkOptions options;
  options.evaluations = 3;
  const Judge only = failing_where([&](const Case& other) { return identical(c, other); });
  const Certificate short_of = certify(c, failure(), only, options);
  EXPECT_EQ(short_of.stop, ShrinkStop::evaluations);
  EXPECT_FALSE(short_of.minimal());
  EXPECT_TRUE(certify(c, failure(), only).minimal());
}

}  // namespace
}  // namespace ulpfuzz
