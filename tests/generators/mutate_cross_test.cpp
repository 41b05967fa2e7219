#include <gtest/gtest.h>

#include <algorithm>

#include "ulpfuzz/generators/mutate.hpp"

namespace ulpfuzz::generators {
namespace {

bool holds(const std::vector<Tensor>& list, const Tensor& t) {
  return std::ranges::any_of(list, [&](const Tensor& x) { return identical(x, t); });
}

TEST(Crossed, StaysValidAndWithinTheLimits) {
  for (const Limits& limits : {Limits{}, gradient_limits(), plain_limits(false)}) {
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const Case a = case_from_seed(31, i, limits), b = case_from_seed(32, i, limits);
      SeedSource source(33, i);
      const Case c = crossed(a, b, source, limits);
      ASSERT_NO_THROW(validate(c));
      ASSERT_TRUE(within(c, limits)) << describe(a) << " x " << describe(b);
      ASSERT_EQ(c.cotangents.cols, limits.jacobian > 0 ? c.output_width() : 0);
    }
  }
}

TEST(Crossed, TakesTensorsSplitsRowsAndOpsOfTheOther) {
  int tensors = 0, splits = 0, ops = 0, rows = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Case a = case_from_seed(34, i), b = case_from_seed(35, i);
    SeedSource source(36, i);
    const Case c = crossed(a, b, source, {});
    for (const Tensor& t : c.parameters)
      tensors += t.data.size() > 3 && holds(b.parameters, t) && !holds(a.parameters, t) ? 1 : 0;
    splits += c.split == b.split && c.split != a.split ? 1 : 0;
    ops += c.network.nodes().size() > a.network.nodes().size() ? 1 : 0;
    rows += c.network == a.network && c.split == a.split && !c.inputs.empty() &&
                    !identical(c.inputs[0], a.inputs[0])
                ? 1
                : 0;
  }
  EXPECT_GT(tensors, 50);
  EXPECT_GT(splits, 100);
  EXPECT_GT(ops, 100);
  EXPECT_GT(rows, 50);
}

// Two cases of one network: all that differs can be exchanged.
TEST(Crossed, MixesTwoOfAKind) {
  const Case a = case_from_seed(37, 3, plain_limits(false));
  const Case b = with_random_low_bits(a, 1);
  int mixed = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    SeedSource source(38, i);
    const Case c = crossed(a, b, source, plain_limits(false));
    const auto from = [&](const Case& parent) {
      return std::ranges::any_of(c.parameters,
                                 [&](const Tensor& t) { return holds(parent.parameters, t); });
    };
    mixed += c.network == a.network && from(a) && from(b) ? 1 : 0;
  }
  EXPECT_GT(mixed, 20);
}

}  // namespace
}  // namespace ulpfuzz::generators
