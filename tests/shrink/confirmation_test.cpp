#include <gtest/gtest.h>

#include <map>

#include "shrink/judges.hpp"

namespace ulpfuzz {
namespace {

/// Fails at every `period`-th evaluation of a case that has three rows or more.
class Flaky {
 public:
  explicit Flaky(unsigned period) : period_(period) {}
  Verdict operator()(const Case& c) {
    ++judged;
    return c.batch() >= 3 && ++seen_[content_hash(c)] % period_ == 0 ? failure() : Verdict{};
  }
  std::uint64_t judged = 0;

 private:
  unsigned period_;
  std::map<std::string, unsigned> seen_;
};

ShrinkResult shrink_flaky(Flaky& flaky, Confirmation confirmation) {
  ShrinkOptions options;
  options.confirmation = confirmation;
  return shrink(two_layers(9, 4, 3), std::ref(flaky), options);
}

TEST(Confirmation, TriesAStartThatFailsNowAndThen) {
  Flaky every_second(2);
  const ShrinkResult r = shrink_flaky(every_second, {1, 2});
  EXPECT_EQ(r.stop, ShrinkStop::fixed_point);
  EXPECT_TRUE(r.before.failed());
  EXPECT_TRUE(r.verdict.failed());
  Flaky too_rare(3);
  EXPECT_EQ(shrink_flaky(too_rare, {1, 2}).stop, ShrinkStop::not_failing);
  EXPECT_EQ(too_rare.judged, 2u);
}

TEST(Confirmation, WantsAFailureBackBeforeItAcceptsIt) {
  // The start always fails, all else once only.
  const std::string start = content_hash(two_layers(9, 4, 3));
  std::map<std::string, unsigned> seen;
  const Judge once = [&](const Case& c) {
    const std::string key = content_hash(c);
    return key == start || ++seen[key] == 1 ? failure() : Verdict{};
  };
  ShrinkOptions options;
  options.confirmation = {2, 3};
  const ShrinkResult r = shrink(two_layers(9, 4, 3), once, options);
  EXPECT_EQ(r.accepted, 0u);
  EXPECT_TRUE(identical(r.value, two_layers(9, 4, 3)));
  for (const auto& [key, times] : seen) EXPECT_EQ(times, 3u);
}

TEST(Confirmation, StopsAsSoonAsItIsDecided) {
  std::map<std::string, unsigned> seen;
  const Judge judge = [&](const Case& c) {
    ++seen[content_hash(c)];
    return c.batch() >= 3 ? failure() : Verdict{};
  };
  ShrinkOptions options;
  options.confirmation = {2, 5};
  const ShrinkResult r = shrink(two_layers(9, 4, 3), judge, options);
  EXPECT_EQ(r.value.batch(), 3u);
  unsigned once = 0, twice = 0;
  for (const auto& [key, times] : seen) {
    EXPECT_LE(times, 2u);
    once += times == 1 ? 1 : 0;
    twice += times == 2 ? 1 : 0;
  }
  EXPECT_GE(twice, r.accepted);
  EXPECT_GT(once, 0u) << "what passes is not asked again";
  EXPECT_EQ(seen[content_hash(r.value)], 2u);
}

TEST(Confirmation, CostsNothingOfWhatIsDeterministic) {
  std::map<std::string, unsigned> seen;
  const Judge judge = [&](const Case& c) {
    EXPECT_EQ(++seen[content_hash(c)], 1u);
    return c.batch() >= 3 ? failure() : Verdict{};
  };
  EXPECT_EQ(shrink(two_layers(9, 4, 3), judge).value.batch(), 3u);
}

}  // namespace
}  // namespace ulpfuzz
