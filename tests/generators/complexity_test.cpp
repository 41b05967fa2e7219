#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tiny_cases.hpp"

namespace ulpfuzz::generators {
namespace {

TEST(Complexity, PutsStructureBeforeNumbers) {
  const Case big = mlp(4);
  Case small = mlp(3);
  for (float& x : small.inputs[0].data) x = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LT(complexity(small), complexity(big));
}

TEST(Complexity, OrdersNumbers) {
  const auto with = [](float x) {
    Case c = mlp(1);
    c.inputs[0].data[0] = x;
    return complexity(c);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_LT(with(0), with(1));
  EXPECT_LT(with(1), with(2));
  EXPECT_LT(with(2), with(3));
  EXPECT_LT(with(3), with(3.3f));
  EXPECT_LT(with(0), with(-0.0f));
  EXPECT_LT(with(3.3f), with(1e30f));
  EXPECT_LT(with(1e30f), with(INFINITY));
  EXPECT_LT(with(INFINITY), with(nan));
}

TEST(Complexity, HasANameForEachNumber) {
  EXPECT_EQ(complexity(mlp(2)).size(), complexity_names().size());
}

std::uint64_t component(const Case& c, std::string_view name) {
  const auto names = complexity_names();
  return complexity(c)[static_cast<std::size_t>(std::ranges::find(names, name) - names.begin())];
}

TEST(Complexity, CountsPaddingAsRows) {
  Case padded = mlp(1);
  padded.split[0].padding = 8;
  const Case nine = mlp(9);
  EXPECT_EQ(component(padded, "rows of the larger side"), 9u);
  EXPECT_EQ(component(nine, "rows of the larger side"), 9u);
  Case one = nine;
  one.split = {Slice{{0}, 0}};
  EXPECT_LT(complexity(one), complexity(padded)) << "padding is no cheap way to large calls";
}

TEST(Complexity, TakesNoSplitForMoreThanOneSlice) {
  Case none = mlp(2), one = none;
  none.split.clear();
  one.split = {Slice{{1}, 0}};
  EXPECT_LT(complexity(one), complexity(none));
}

TEST(Complexity, PrefersOneOrderOfEqualNumbers) {
  EXPECT_LT(complexity(relu_of({0, 0, 2})), complexity(relu_of({0, 2, 0})));
  EXPECT_LT(complexity(relu_of({0, 0, 2})), complexity(relu_of({2, 0, 0})));
  EXPECT_LT(complexity(relu_of({3, 3, 3})), complexity(relu_of({3, 5, 3})));
}

}  // namespace
}  // namespace ulpfuzz::generators
