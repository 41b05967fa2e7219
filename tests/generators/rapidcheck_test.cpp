#include "ulpfuzz/generators/rapidcheck.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>

namespace ulpfuzz::generators {
namespace {

// As a user of GoogleTest and RapidCheck writes it.
RC_GTEST_PROP(AnyCase, IsValid, (const Case& c)) { validate(c); }

RC_GTEST_PROP(AnyCase, FollowsItsLimits, ()) {
  const Case c = *any_case(gradient_limits());
  RC_ASSERT(c.batch() <= gradient_limits().batch);
  RC_ASSERT(c.cotangents.cols == c.output_width());
}

TEST(AnyCaseShrinking, IsThatOfSimpler) {
  const auto fails = [](const Case& c) { return c.batch() >= 3; };
  rc::Random random(7);
  auto tree = any_case()(random, 100);
  while (!fails(tree.value())) tree = any_case()(random.split(), 100);
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (auto shrinks = tree.shrinks(); auto next = shrinks.next();) {
      if (!fails(next->value())) continue;
      tree = *next;
      smaller = true;
      break;
    }
  }
  EXPECT_EQ(tree.value().batch(), 3u);
  EXPECT_LE(tree.value().network.nodes().size(), 3u);
}

TEST(AnyCase, GrowsWithSize) {
  const rc::Random start(3);
  const auto mean_batch = [&](int size) {
    rc::Random random = start;
    std::size_t total = 0;
    for (int i = 0; i < 200; ++i) total += any_case()(random.split(), size).value().batch();
    return static_cast<double>(total) / 200;
  };
  EXPECT_LT(mean_batch(0), 1.1);
  EXPECT_LT(mean_batch(5), mean_batch(100));
}

TEST(ShowValue, PrintsADescription) {
  const Case c = case_from_seed(1, 1);
  std::ostringstream out;
  rc::show(c, out);
  EXPECT_EQ(out.str(), describe(c));
}

}  // namespace
}  // namespace ulpfuzz::generators
