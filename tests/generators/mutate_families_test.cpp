// Each family is shown to change what it says, and that alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "ulpfuzz/generators/mutate.hpp"

namespace ulpfuzz::generators {
namespace {

enum Part : unsigned { network = 1, numbers = 2, split = 4, layout = 8, sizes = 16 };

bool same_numbers(const Case& a, const Case& b) {
  const auto same = [](const Tensor& x, const Tensor& y) { return identical(x, y); };
  return std::ranges::equal(a.parameters, b.parameters, same) &&
         std::ranges::equal(a.inputs, b.inputs, same) && identical(a.cotangents, b.cotangents);
}

bool same_sizes(const Case& a, const Case& b) {
  const auto same = [](const Node& x, const Node& y) { return x.shape == y.shape; };
  return a.batch() == b.batch() && std::ranges::equal(a.network.nodes(), b.network.nodes(), same);
}

unsigned difference(const Case& a, const Case& b) {
  return (a.network == b.network ? 0u : network) | (same_numbers(a, b) ? 0u : numbers) |
         (a.split == b.split ? 0u : split) | (a.layout == b.layout ? 0u : layout) |
         (same_sizes(a, b) ? 0u : sizes);
}

const Mutation& family(std::string_view name) {
  const auto found = std::ranges::find(mutations(), name, &Mutation::name);
  if (found == mutations().end()) throw std::out_of_range(std::string(name));
  return *found;
}

// Calls check(before, after) for results that differ; how many did.
int tried(std::string_view name, const Limits& limits,
          const std::function<void(const Case&, const Case&)>& check) {
  int changed = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    const Case before = case_from_seed(21, i, limits);
    SeedSource source(22, i);
    const Case after = family(name).apply(before, source, limits);
    EXPECT_NO_THROW(validate(after)) << name << ": " << describe(before);
    if (identical(before, after)) continue;
    ++changed;
    check(before, after);
  }
  return changed;
}

struct Claim {
  const char* name;
  unsigned may;  ///< parts that may differ
  int least;     ///< of 400 cases
};

const Claim claims[]{{"move by ulps", numbers, 300},
                     {"low bits", numbers, 300},
                     {"specials", numbers, 300},
                     {"round", numbers, 200},
                     {"signs", numbers, 250},
                     {"scale", numbers, 300},
                     {"copy numbers", numbers, 150},
                     {"cancel", numbers, 200},
                     {"move scale", numbers, 60},
                     {"rows", numbers, 100},
                     {"split", split, 200},
                     {"layout", layout, 300},
                     {"draw tensor", numbers, 300},
                     {"draw split", split, 250},
                     {"resize", ~layout, 150},
                     {"insert ops", ~(split | layout), 200},
                     {"delete op", ~(split | layout), 150},
                     {"replace op", network | numbers | sizes, 150},
                     {"repeat ops", ~(split | layout), 100},
                     {"draw topology", ~layout, 300},
                     {"simplify", ~0u, 150}};

class Family : public testing::TestWithParam<Claim> {};
INSTANTIATE_TEST_SUITE_P(Each, Family, testing::ValuesIn(claims), [](const auto& p) {
  std::string name = p.param.name;
  std::ranges::replace(name, ' ', '_');
  return name;
});

TEST_P(Family, ChangesWhatItSaysAndNothingElse) {
  for (const Limits& limits : {Limits{}, gradient_limits()}) {
    unsigned seen = 0;
    const int changed = tried(GetParam().name, limits, [&](const Case& a, const Case& b) {
      const unsigned d = difference(a, b);
      seen |= d;
      EXPECT_EQ(d & ~GetParam().may, 0u) << describe(a) << " -> " << describe(b);
    });
    EXPECT_GE(changed, GetParam().least) << GetParam().name;
    EXPECT_NE(seen, 0u);
  }
}

TEST(Families, AreAllClaimed) { EXPECT_EQ(std::size(claims), mutations().size()); }

// Calls f(before, after) for numbers that differ.
void each_change(const Case& a, const Case& b, const std::function<void(float, float)>& f) {
  const auto pairs = [&](const std::vector<Tensor>& x, const std::vector<Tensor>& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t k = 0; k < x[i].data.size(); ++k)
        if (std::bit_cast<std::uint32_t>(x[i].data[k]) !=
            std::bit_cast<std::uint32_t>(y[i].data[k]))
          f(x[i].data[k], y[i].data[k]);
  };
  pairs(a.parameters, b.parameters);
  pairs(a.inputs, b.inputs);
}

TEST(Families, MoveByUlpsStaysNear) {
  int near = 0, all = 0;
  tried("move by ulps", {}, [&](const Case& a, const Case& b) {
    each_change(a, b, [&](float x, float y) {
      ++all;
      EXPECT_FALSE(std::isnan(y) && !std::isnan(x));
      if (std::isnormal(x)) {
        EXPECT_LE(std::fabs(y - x), std::fabs(x) * 0x1p-9f) << x << " " << y;
      }
      near += std::nextafter(x, y) == y ? 1 : 0;
    });
  });
  EXPECT_GT(near, all / 10);
}

TEST(Families, RoundTakesBitsAway) {
  tried("round", {}, [](const Case& a, const Case& b) {
    each_change(a, b, [](float x, float y) {
      EXPECT_LT(std::fabs(y), std::fabs(x));
      EXPECT_GE(std::fabs(y), std::fabs(x) / 2);
    });
  });
}

TEST(Families, MoveScaleKeepsTheProductOfTwoParameters) {
  tried("move scale", plain_limits(false), [](const Case& a, const Case& b) {
    std::map<float, int> ratios;
    for (std::size_t i = 0; i < a.parameters.size(); ++i)
      for (std::size_t k = 0; k < a.parameters[i].data.size(); ++k)
        if (const float x = a.parameters[i].data[k], y = b.parameters[i].data[k]; x != y)
          ++ratios[y / x];
    ASSERT_EQ(ratios.size(), 2u);
    EXPECT_EQ(ratios.begin()->first * std::prev(ratios.end())->first, 1.0f);
  });
}

TEST(Families, SplitDoesAllThatItSays) {
  std::map<std::string, int> seen;
  for (std::uint64_t k = 0; k < 5; ++k) {
    for (std::uint64_t i = 0; i < 400; ++i) {
      const Case a = case_from_seed(23 + k, i);
      SeedSource source(24 + k, i);
      const Case b = family("split").apply(a, source, {});
      const auto rows = [](const Case& c) {
        std::size_t n = 0;
        for (const Slice& s : c.split) n += s.rows.size();
        return n;
      };
      const auto any = [](const Case& c, auto f) { return std::ranges::any_of(c.split, f); };
      if (b.split.size() < a.split.size() && rows(a) == rows(b)) ++seen["merged"];
      if (b.split.size() > a.split.size() && rows(a) == rows(b)) ++seen["divided"];
      if (rows(b) > rows(a)) ++seen["repeated"];
      const auto empty = [](const Slice& s) { return s.rows.empty(); };
      const auto unsorted = [](const Slice& s) { return !std::ranges::is_sorted(s.rows); };
      const auto padded = [](const Slice& s) { return s.padding > 0; };
      if (any(b, empty) && !any(a, empty)) ++seen["emptied"];
      if (any(b, unsorted) && !any(a, unsorted)) ++seen["unsorted"];
      if (any(b, padded) && !any(a, padded)) ++seen["padded"];
      if (a.batch() > 2 && b.split.size() == 2 && b.split[0].rows.size() == 1 &&
          b.split[1].rows.size() + 1 == a.batch())
        ++seen["first alone"];
      if (a.split.size() == b.split.size() && rows(a) == rows(b) && a.split != b.split)
        ++seen["moved"];
    }
  }
  EXPECT_EQ(seen.size(), 8u);
  for (const auto& [what, count] : seen) EXPECT_GT(count, 5) << what;
}

TEST(Families, ResizeTriesNeighboursDoublesAndTiles) {
  std::map<int, int> steps;
  tried("resize", {}, [&](const Case& a, const Case& b) {
    if (a.batch() == b.batch() || a.batch() == 0) return;
    ++steps[static_cast<int>(b.batch()) - static_cast<int>(a.batch())];
    EXPECT_LE(b.batch(), 129u);
  });
  EXPECT_GT(steps[1], 3);
  EXPECT_GT(steps[-1], 3);
  EXPECT_GT(steps.size(), 8u);
}

TEST(Families, StructureGrowsAndShrinksNetworks) {
  const auto ops = [](const Case& c) { return c.network.nodes().size() - c.parameters.size(); };
  int grown = 0, shrunk = 0, repeated = 0;
  const int inserted = tried(
      "insert ops", {}, [&](const Case& a, const Case& b) { grown += ops(b) > ops(a) ? 1 : 0; });
  EXPECT_EQ(grown, inserted);
  const int deleted = tried(
      "delete op", {}, [&](const Case& a, const Case& b) { shrunk += ops(b) < ops(a) ? 1 : 0; });
  EXPECT_EQ(shrunk, deleted);
  const int again = tried(
      "repeat ops", {}, [&](const Case& a, const Case& b) { repeated += ops(b) > ops(a) ? 1 : 0; });
  EXPECT_EQ(repeated, again);
}

}  // namespace
}  // namespace ulpfuzz::generators
