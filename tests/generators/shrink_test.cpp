#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shrink_loop.hpp"

namespace ulpfuzz::generators {
namespace {

using Predicate = std::function<bool(const Case&)>;

bool has(const Case& c, Op op) {
  return std::ranges::any_of(c.network.nodes(), [op](const Node& n) { return n.op == op; });
}

// Shrinks the first `count` random cases that fail; checks each and returns the median evaluations.
int shrink_many(const Predicate& fails, int count, const std::function<void(const Case&)>& minimal,
                const Focus& focus = {}) {
  std::vector<int> evaluations;
  for (std::uint64_t i = 0; i < 20'000 && static_cast<int>(evaluations.size()) < count; ++i) {
    Case c = case_from_seed(31, i);
    if (!fails(c)) continue;
    const std::string start = describe(c);
    const Shrunk shrunk = shrink(std::move(c), fails, focus);
    EXPECT_TRUE(fails(shrunk.value));
    EXPECT_NO_THROW(validate(shrunk.value));
    SCOPED_TRACE(start + "  ->  " + describe(shrunk.value));
    minimal(shrunk.value);
    evaluations.push_back(shrunk.evaluations);
  }
  EXPECT_EQ(static_cast<int>(evaluations.size()), count);
  std::ranges::sort(evaluations);
  testing::Test::RecordProperty("evaluations", evaluations[evaluations.size() / 2]);
  return evaluations[evaluations.size() / 2];
}

TEST(Shrink, FindsOneTanhAndFiveRows) {
  const auto fails = [](const Case& c) {
    return has(c, Op::tanh) && c.batch() >= 5 && c.output_width() > 0;
  };
  const int median = shrink_many(fails, 25, [](const Case& c) {
    EXPECT_EQ(c.batch(), 5u);
    EXPECT_EQ(c.network.nodes().size(), 2u);
    EXPECT_EQ(c.output_width(), 1u);
    EXPECT_THAT(c.inputs[0].data, testing::Each(0.0f));
    EXPECT_EQ(c.layout, Layout{});
  });
  EXPECT_LE(median, 200);
}

TEST(Shrink, FindsTheOneLargeInput) {
  const auto fails = [](const Case& c) {
    return std::ranges::any_of(c.inputs[0].data, [](float x) { return std::abs(x) > 100; });
  };
  const int median = shrink_many(fails, 25, [](const Case& c) {
    EXPECT_EQ(c.network.nodes().size(), 1u) << "the input itself";
    ASSERT_EQ(c.inputs[0].data.size(), 1u);
    EXPECT_EQ(c.inputs[0].data[0], 128) << "one significant bit, the least exponent, no sign";
  });
  EXPECT_LE(median, 200);
}

std::uint32_t largest_inner(const Case& c) {
  std::uint32_t most = 0;
  for (const Node& n : c.network.nodes()) {
    if (n.op == Op::linear) most = std::max(most, c.network.node(n.args[1]).shape.cols);
  }
  return most;
}

TEST(Shrink, FindsTheInnerDimension) {
  for (const std::uint32_t least : {3u, 17u, 33u}) {
    const auto fails = [least](const Case& c) {
      return largest_inner(c) >= least && c.batch() >= 1 && c.output_width() > 0;
    };
    const int median = shrink_many(fails, 10, [least](const Case& c) {
      EXPECT_EQ(largest_inner(c), least);
      EXPECT_EQ(c.network.nodes().size(), 3u);
      EXPECT_EQ(c.parameters[0].data.size(), least);
      EXPECT_EQ(c.batch(), 1u);
    });
    EXPECT_LE(median, 300) << least;
  }
}

TEST(Shrink, EndsOnTheBatchThreshold) {
  const auto fails = [](const Case& c) {
    return c.batch() > 8 && has(c, Op::linear) && c.output_width() >= 2;
  };
  const int median = shrink_many(fails, 15, [](const Case& c) {
    EXPECT_EQ(c.batch(), 9u);
    EXPECT_EQ(c.output_width(), 2u);
    EXPECT_EQ(c.split.size(), 1u);
  });
  EXPECT_LE(median, 300);
}

TEST(Shrink, KeepsTheTwoSlicesThatAreNeeded) {
  const auto fails = [](const Case& c) {
    return std::ranges::count_if(c.split, [](const Slice& s) { return !s.rows.empty(); }) >= 2;
  };
  shrink_many(fails, 25, [](const Case& c) {
    ASSERT_EQ(c.split.size(), 2u);
    EXPECT_EQ(c.split[0].rows.size() + c.split[1].rows.size(), 2u);
    EXPECT_EQ(c.split[0].padding + c.split[1].padding, 0u);
    EXPECT_LE(c.batch(), 2u);
  });
}

TEST(Shrink, TakesPaddingOrEmptySlicesForWhatTheyAre) {
  const auto padded = [](const Case& c) {
    return std::ranges::any_of(c.split, [](const Slice& s) { return s.padding > 0; });
  };
  shrink_many(padded, 10, [](const Case& c) {
    EXPECT_EQ(c.split.size(), 1u);
    EXPECT_EQ(c.batch(), 1u);
  });
  const auto hollow = [](const Case& c) {
    return c.batch() > 0 &&
           std::ranges::any_of(c.split, [](const Slice& s) { return s.rows.empty(); });
  };
  shrink_many(hollow, 10, [](const Case& c) { EXPECT_EQ(c.split.size(), 1u); });
}

// A parameter that two layers share, whatever else is there.
TEST(Shrink, KeepsASharedParameter) {
  const auto fails = [](const Case& c) {
    std::vector<int> uses(c.network.nodes().size());
    for (const Node& n : c.network.nodes()) {
      if (n.op == Op::linear) ++uses[n.args[1]];
    }
    return c.batch() > 0 && c.output_width() > 0 && std::ranges::max(uses) >= 2;
  };
  shrink_many(fails, 10, [](const Case& c) {
    EXPECT_LE(c.network.nodes().size(), 4u);
    EXPECT_EQ(c.parameters[0].data.size(), 1u);
    EXPECT_EQ(c.batch(), 1u);
  });
}

TEST(Shrink, RoundsNumbersAsFarAsTheyMay) {
  const auto fails = [](const Case& c) {
    double sum = 0;
    for (const Tensor& t : c.parameters) {
      for (const float x : t.data) sum += std::isfinite(x) ? std::abs(double{x}) : 0;
    }
    return sum >= 3;
  };
  shrink_many(fails, 25, [](const Case& c) {
    for (const Tensor& t : c.parameters) {
      for (const float x : t.data) {
        int exponent = 0;
        const float significand = std::frexp(x, &exponent);
        EXPECT_EQ(significand * 8, std::nearbyint(significand * 8)) << x;
      }
    }
  });
}

}  // namespace
}  // namespace ulpfuzz::generators
