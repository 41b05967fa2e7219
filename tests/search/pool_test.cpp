#include "ulpfuzz/search/pool.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "search/cases.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/search/features.hpp"

namespace ulpfuzz::search {
namespace {

/// Large where the numbers of the first parameter are positive: a hill that mutations can climb and
/// luck hardly does.
Verdict hill(const Case& c) {
  double positive = 0, all = 0;
  for (const Tensor& t : c.parameters)
    for (const float x : t.data) {
      positive += x > 0 ? 1 : 0;
      ++all;
    }
  Verdict v = passing(all < 16 ? 0 : std::exp2(-24 * (1 - positive / all)));
  if (v.share > 0.9) v = failing(2);
  return v;
}

/// As bytes, in a map: what a worker's successor has of it.
class Memory final : public Pool::Store {
 public:
  void put(const Case& c, Heights::Cell& cell) override {
    cell.at = ++last_;
    cases_[cell.at] = to_bytes({c, {}});
  }
  std::optional<Case> get(const Heights::Cell& cell) override {
    return case_from_bytes(cases_.at(cell.at), "memory").value;
  }

 private:
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::vector<std::uint8_t>> cases_;
};

std::vector<std::string> walk(Pool& pool, std::uint64_t from, std::uint64_t to) {
  std::vector<std::string> given;
  for (std::uint64_t i = from; i < to; ++i) {
    generators::SeedSource source(5, i);
    const Case c = pool.next(source, {.width = 17, .batch = 9, .work = 20'000});
    given.push_back(content_hash(c));
    pool.offer(c, hill(c));
  }
  return given;
}

TEST(Pool, KeepsNoCaseThatFailsOrWasNotJudged) {
  Pool pool;
  EXPECT_FALSE(pool.offer(small_case(), failing(3)));
  Verdict v = passing(0.5);
  v.outcome = Outcome::vacuous;
  EXPECT_FALSE(pool.offer(small_case(), v));
  EXPECT_FALSE(pool.offer(small_case(), passing(0)));
  EXPECT_EQ(pool.size(), 0u);
  generators::SeedSource source(1, 0), same(1, 0);
  source.next();  // how the way is chosen
  pool.next(same, {});
  EXPECT_TRUE(pool.drawn());
}

double highest(const Pool& pool) {
  double share = 0;
  for (const Heights::Cell& cell : pool.heights().cells) share = std::max(share, cell.share);
  return share;
}

TEST(Pool, SaysWhenACellRisesByAMark) {
  Pool pool;
  EXPECT_TRUE(pool.offer(small_case(), passing(0.125)));
  EXPECT_FALSE(pool.offer(small_case(), passing(0.126)));
  EXPECT_FALSE(pool.offer(small_case(), passing(0.1)));
  EXPECT_TRUE(pool.offer(small_case(), passing(0.25)));
  EXPECT_EQ(highest(pool), 0.25);
}

TEST(Pool, HasCellsByOpTierAndSize) {
  Pool pool;
  pool.offer(small_case(), passing(0.5));
  EXPECT_EQ(pool.size(), 2u);  // linear, tanh
  Verdict v = passing(0.25);
  EXPECT_FALSE(pool.offer(small_case(), v));
  v.worst.tier = Tier::probabilistic;
  EXPECT_TRUE(pool.offer(small_case(), v));
  EXPECT_EQ(pool.size(), 4u);
  EXPECT_FALSE(pool.offer(select_rows(small_case(), {0}), v));
  Case large = small_case();
  large.inputs[0] = Tensor(20, 5);
  EXPECT_TRUE(pool.offer(large, v));
  EXPECT_EQ(pool.size(), 6u);
}

TEST(Pool, ClimbsHigherThanLuck) {
  Pool pool;
  walk(pool, 0, 3000);
  double drawn = 0;
  const double climbed = highest(pool);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const Verdict v =
        hill(generators::case_from_seed(5, i, {.width = 17, .batch = 9, .work = 20'000}));
    if (!v.failed()) drawn = std::max(drawn, v.share);
  }
  EXPECT_GT(climbed, 2 * drawn);
  EXPECT_LE(climbed, 0.9);
}

TEST(Pool, IsAFunctionOfWhatItWasGiven) {
  Pool a, b;
  EXPECT_EQ(walk(a, 0, 600), walk(b, 0, 600));
}

TEST(Pool, GoesOnWhereAnotherEnded) {
  Pool whole;
  const auto expected = walk(whole, 0, 900);
  Heights heights;
  Memory memory;
  std::vector<std::string> given;
  for (std::uint64_t from = 0; from < 900; from += 90) {
    Pool part(heights, memory);
    const auto more = walk(part, from, from + 90);
    given.insert(given.end(), more.begin(), more.end());
  }
  EXPECT_EQ(given, expected);
}

TEST(Pool, GivesTheSameCaseUntilItIsSettled) {
  Heights heights;
  Memory memory;
  Pool pool(heights, memory);
  walk(pool, 0, 300);
  int climbed = 0;
  for (std::uint64_t i = 300; i < 400; ++i) {
    generators::SeedSource source(5, i), again(5, i), other(5, i);
    const Case first = pool.next(source, {});
    climbed += pool.drawn() ? 0 : 1;
    EXPECT_TRUE(identical(pool.next(again, {}), first));
    EXPECT_TRUE(identical(Pool(heights, memory).next(other, {}), first));
    pool.offer(first, hill(first));
  }
  EXPECT_GT(climbed, 10);
}

TEST(Pool, KeepsNoLargeCase) {
  Pool pool;
  Case c = small_case();
  c.inputs[0] = Tensor(40'000, 5);
  EXPECT_FALSE(pool.offer(c, passing(0.5)));
  EXPECT_EQ(pool.size(), 0u);
}

TEST(Pool, LeavesEachWayATenth) {
  for (const std::size_t of_use : {0, 1}) {
    Heights heights;
    Memory memory;
    Pool pool(heights, memory);
    pool.offer(small_case(), passing(0.01));
    heights.yield[of_use] = 0.02;
    std::array<int, 2> given{};
    for (std::uint64_t i = 0; i < 2000; ++i) {
      generators::SeedSource source(9, i);
      pool.next(source, {.width = 9, .batch = 5, .work = 2000});
      ++given[pool.drawn() ? 0 : 1];
    }
    EXPECT_GT(given[of_use], 1600);
    EXPECT_GT(given[1 - of_use], 150);
  }
}

}  // namespace
}  // namespace ulpfuzz::search
