#include "ulpfuzz/generators/mutate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::generators {
namespace {

std::vector<Limits> several() {
  std::vector<Limits> all{Limits{}, gradient_limits(), plain_limits(false), Limits{}, Limits{}};
  all[3].depth = all[3].width = all[3].batch = 1;
  all[3].work = 64;
  all[4].depth = 20;
  all[4].work = 100'000;
  return all;
}

class Mutated : public testing::TestWithParam<Limits> {};

INSTANTIATE_TEST_SUITE_P(Limits, Mutated, testing::ValuesIn(several()),
                         [](const auto& p) { return std::to_string(p.index); });

TEST_P(Mutated, WhatIsDrawnIsWithinTheLimits) {
  for (std::uint64_t i = 0; i < 3000; ++i)
    ASSERT_TRUE(within(case_from_seed(5, i, GetParam()), GetParam())) << i;
}

// A chain of changes wanders far from what was drawn.
TEST_P(Mutated, StaysValidAndWithinTheLimits) {
  const Limits& limits = GetParam();
  SeedSource source(6, 0);
  for (std::uint64_t i = 0; i < 40; ++i) {
    Case c = case_from_seed(6, i, limits);
    for (int step = 0; step < 40; ++step) {
      c = mutated(c, source, limits);
      ASSERT_NO_THROW(validate(c)) << describe(c);
      ASSERT_TRUE(within(c, limits)) << describe(c);
      ASSERT_EQ(c.cotangents.cols, limits.jacobian > 0 ? c.output_width() : 0) << describe(c);
      ASSERT_FALSE(c.split.empty());
    }
  }
}

TEST_P(Mutated, ChangesNearlyEveryCase) {
  const Limits& limits = GetParam();
  int changed = 0;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Case c = case_from_seed(7, i, limits);
    SeedSource source(7, i);
    changed += identical(mutated(c, source, limits), c) ? 0 : 1;
  }
  EXPECT_GE(changed, limits.width == 1 ? 400 : 495);
}

TEST_P(Mutated, DependsOnItsArgumentsAlone) {
  const Case other = case_from_seed(8, 1000, GetParam());
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Case c = case_from_seed(8, i, GetParam());
    SeedSource first(9, i), second(9, i);
    EXPECT_TRUE(identical(mutated(c, first, GetParam()), mutated(c, second, GetParam())));
    EXPECT_TRUE(
        identical(crossed(c, other, first, GetParam()), crossed(c, other, second, GetParam())));
  }
}

TEST_P(Mutated, NeedsNoChanceToEnd) {
  const Limits& limits = GetParam();
  for (std::uint64_t i = 0; i < 100; ++i) {
    const Case c = case_from_seed(10, i, limits);
    for (const int byte : {0, 255, 85}) {
      const std::vector<std::uint8_t> bytes(i, static_cast<std::uint8_t>(byte));
      ByteSource source(bytes);
      const Case next = mutated(c, source, limits);
      ASSERT_NO_THROW(validate(next));
      ASSERT_TRUE(within(next, limits));
    }
  }
}

TEST_P(Mutated, BringsCasesOfOtherLimitsWithin) {
  Limits large;
  large.depth = 12;
  large.width = 300;
  large.batch = 400;
  large.work = 20'000'000;
  int beyond = 0, kept = 0;
  SeedSource source(11, 0);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Case c = case_from_seed(11, i, large);
    if (within(c, GetParam())) continue;
    ++beyond;
    const Case next = mutated(c, source, GetParam());
    ASSERT_NO_THROW(validate(next)) << describe(c);
    ASSERT_TRUE(within(next, GetParam())) << describe(c) << " -> " << describe(next);
    kept += next.network.nodes().size() > 2 ? 1 : 0;
  }
  EXPECT_GT(beyond, 30);
  EXPECT_GT(kept, beyond / 4);
}

TEST(MutatedCheckedInCases, AreWithinTheLimits) {
  for (const char* name : {"jax-vmap-mlp", "torch-jacobian-mlp"}) {
    const Case c =
        read_case(std::string(ULPFUZZ_SOURCE_DIR "/corpus/seeds/") + name + ".case.json").value;
    SeedSource source(12, 0);
    for (const Limits& limits : several())
      EXPECT_TRUE(within(mutated(c, source, limits), limits)) << name;
  }
}

TEST(Within, TellsWhatIsTooLarge) {
  Case c = case_from_seed(1, 0, plain_limits(false));
  const Limits all;
  ASSERT_TRUE(within(c, all));
  Limits few = all;
  few.batch = static_cast<std::uint32_t>(c.batch() - 1);
  EXPECT_FALSE(within(c, few));
  few = all;
  few.work = 1;
  EXPECT_FALSE(within(c, few));
  few = all;
  few.jacobian = 1;
  EXPECT_FALSE(within(c, few));
  few = all;
  few.width = 1;
  EXPECT_FALSE(within(c, few));
  c.split[0].padding = 1000;
  EXPECT_FALSE(within(c, all));
}

TEST(Mutations, HaveNamesAndWeightsOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Mutation& m : mutations()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_GT(m.weight, 0u);
    EXPECT_FALSE(m.what.empty());
  }
  EXPECT_GT(names.size(), 15u);
}

}  // namespace
}  // namespace ulpfuzz::generators
