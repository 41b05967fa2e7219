#include <gtest/gtest.h>

#include <map>

#include "shrink/judges.hpp"

namespace ulpfuzz {
namespace {

/// Fails alike, or otherwise, or by chance: by what the content of the case and the number of times
/// it was asked say.
class Moody {
 public:
  Verdict operator()(const Case& c) {
    ++judged;
    const std::string key = content_hash(c);
    const unsigned times = ++asked_[key];
    if (c.batch() < 3) return {};
    const bool again = key[0] < 'c' || times % 2 == 1;
    if (longest_reduction(c) < 2) return failure(1, "overrun", FailureClass::out_of_bounds);
    return again ? failure(8.0 * static_cast<double>(c.batch())) : Verdict{};
  }
  std::uint64_t judged = 0;

 private:
  std::map<std::string, unsigned> asked_;
};

ShrinkOptions with(ShrinkMemory* memory, Confirmation confirmation) {
  ShrinkOptions options;
  options.memory = memory;
  options.confirmation = confirmation;
  return options;
}

void expect_same(const ShrinkResult& a, const ShrinkResult& b) {
  EXPECT_TRUE(identical(a.value, b.value));
  EXPECT_EQ(a.verdict.share, b.verdict.share);
  ASSERT_EQ(a.severe.has_value(), b.severe.has_value());
  if (a.severe) {
    EXPECT_TRUE(identical(a.severe->value, b.severe->value));
  }
  ASSERT_EQ(a.neighbour.has_value(), b.neighbour.has_value());
  if (a.neighbour) {
    EXPECT_TRUE(identical(a.neighbour->value, b.neighbour->value));
  }
  ASSERT_EQ(a.ladder.size(), b.ladder.size());
  for (std::size_t i = 0; i < a.ladder.size(); ++i)
    EXPECT_TRUE(identical(a.ladder[i].least.value, b.ladder[i].least.value));
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.accepted, b.accepted);
  EXPECT_EQ(a.slips, b.slips);
  EXPECT_EQ(a.stop, b.stop);
}

class Resumed : public testing::TestWithParam<Confirmation> {};

TEST_P(Resumed, EndsWhereAnUninterruptedRunDoes) {
  const Case start = two_layers(12, 5, 4);
  Moody whole;
  const ShrinkResult expected = shrink(start, std::ref(whole), with(nullptr, GetParam()));
  ASSERT_GT(expected.evaluations, 60u);
  ASSERT_TRUE(expected.severe);
  ASSERT_GT(expected.slips, 0u);
  for (std::uint64_t k = 1; k < expected.evaluations; k += 1 + k / 8) {
    SCOPED_TRACE(k);
    Notebook notebook;
    Moody moody;
    bool killed = false;
    ShrinkOptions options = with(&notebook, GetParam());
    options.cancelled = [&] { return killed; };
    const Judge until_killed = [&](const Case& c) {
      killed = moody.judged == k;
      return killed ? Verdict{} : moody(c);
    };
    EXPECT_EQ(shrink(start, until_killed, options).stop, ShrinkStop::cancelled);
    EXPECT_EQ(notebook.size(), k);
    const ShrinkResult r = shrink(start, std::ref(moody), with(&notebook, GetParam()));
    EXPECT_EQ(r.recalled, k);
    EXPECT_EQ(moody.judged, expected.evaluations) << "nothing is judged twice";
    expect_same(r, expected);
    EXPECT_FALSE(notebook.told_twice());
  }
}

TEST_P(Resumed, ManyTimesEndsThereToo) {
  const Case start = two_layers(12, 5, 4);
  Moody whole, moody;
  const ShrinkResult expected = shrink(start, std::ref(whole), with(nullptr, GetParam()));
  Notebook notebook;
  for (unsigned kills = 1; kills <= 20; ++kills) {
    bool killed = false;
    const std::uint64_t enough = moody.judged + expected.evaluations / 25;
    ShrinkOptions options = with(&notebook, GetParam());
    options.cancelled = [&] { return killed; };
    const Judge until_killed = [&](const Case& c) {
      killed = moody.judged == enough;
      return killed ? Verdict{} : moody(c);
    };
    EXPECT_EQ(shrink(start, until_killed, options).stop, ShrinkStop::cancelled);
  }
  expect_same(shrink(start, std::ref(moody), with(&notebook, GetParam())), expected);
}

TEST(ShrinkMemory, OfAllAnswersNeedsNoJudge) {
  Notebook notebook;
  Moody moody;
  const Case start = two_layers(12, 5, 4);
  const ShrinkResult first = shrink(start, std::ref(moody), with(&notebook, {2, 3}));
  const ShrinkResult again = shrink(
      start,
      [](const Case&) -> Verdict {
        ADD_FAILURE() << "asked";
        return {};
      },
      with(&notebook, {2, 3}));
  expect_same(again, first);
  EXPECT_EQ(again.recalled, again.evaluations);
}

INSTANTIATE_TEST_SUITE_P(Shrink, Resumed, testing::Values(Confirmation{1, 1}, Confirmation{2, 3}));

}  // namespace
}  // namespace ulpfuzz
