#include "ulpfuzz/generators/source.hpp"

#include <Random123/philox.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "../../generators/sizes.hpp"
#include "../../generators/values.hpp"
#include "../../generators/words.hpp"

namespace ulpfuzz::generators {
namespace {

philox4x32_ctr_t block(std::uint64_t key, std::uint64_t counter, std::uint64_t high = 0) {
  const auto word = [](std::uint64_t x, int i) { return static_cast<std::uint32_t>(x >> 32 * i); };
  const philox4x32_ctr_t c{{word(counter, 0), word(counter, 1), word(high, 0), word(high, 1)}};
  const philox4x32_key_t k{{word(key, 0), word(key, 1)}};
  return philox4x32(c, k);
}

TEST(Words, AreRandom123sPhilox) {
  const std::uint64_t key = 0x0123'4567'89ab'cdef;
  Words words(key);
  for (std::uint64_t n = 0; n < 4 * Words::lanes; n += Words::lanes) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t l = 0; l < Words::lanes; ++l) {
        ASSERT_EQ(words.next(), block(key, n + l)[j]) << n + l << " word " << j;
      }
    }
  }
}

TEST(Words, AreTheSameInAnyPieces) {
  Words one(7), many(7);
  for (std::size_t i = 0; i < 1000;) {
    for (const std::uint32_t word : many.take(1 + i % 13)) {
      ASSERT_EQ(word, one.next());
      ++i;
    }
  }
}

TEST(SeedSource, CountsFromTheIndexUnderTheSeed) {
  SeedSource source(5, 0x1'0000'0002);
  for (std::uint64_t n = 0; n < 3; ++n) {
    const auto words = block(5, n, 0x1'0000'0002);
    EXPECT_EQ(source.next(), words[0] | std::uint64_t{words[1]} << 32);
    EXPECT_EQ(source.next(), words[2] | std::uint64_t{words[3]} << 32);
  }
}

TEST(SeedSource, NeighboursShareNothing) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t index = 0; index < 20; ++index) {
      SeedSource source(seed, index);
      for (int i = 0; i < 5; ++i) seen.insert(source.next());
    }
  }
  EXPECT_EQ(seen.size(), 20u * 20 * 5);
}

TEST(Source, BelowIsUniformAndInside) {
  SeedSource source(1, 1);
  std::array<int, 7> hits{};
  for (int i = 0; i < 7000; ++i) ++hits.at(source.below(7));
  for (const int n : hits) EXPECT_NEAR(n, 1000, 150);
  EXPECT_EQ(source.below(0), 0u);
  EXPECT_EQ(source.below(1), 0u);
}

TEST(Source, BetweenReachesBothEnds) {
  SeedSource source(1, 2);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 500; ++i) seen.insert(source.between(-2, 3));
  EXPECT_THAT(seen, testing::ElementsAre(-2, -1, 0, 1, 2, 3));
  EXPECT_EQ(source.between(4, 4), 4);
}

TEST(Source, ChanceIsAPercentage) {
  SeedSource source(1, 3);
  int yes = 0;
  for (int i = 0; i < 10000; ++i) yes += source.chance(30) ? 1 : 0;
  EXPECT_NEAR(yes, 3000, 200);
  EXPECT_FALSE(source.chance(0));
  EXPECT_TRUE(source.chance(100));
}

TEST(ByteSource, SaysZeroAndNoWhenExhausted) {
  const std::array<std::uint8_t, 3> bytes{0xff, 0xff, 0x80};
  ByteSource source(bytes);
  EXPECT_EQ(source.below(100), 99u);
  EXPECT_EQ(source.below(100), 50u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(source.below(100), 0u);
    EXPECT_FALSE(source.chance(99));
  }
}

TEST(ByteSource, IsMonotoneInItsBytes) {
  std::uint64_t last = 0;
  for (unsigned b = 0; b < 256; ++b) {
    const std::array<std::uint8_t, 2> bytes{static_cast<std::uint8_t>(b), 0};
    const std::uint64_t now = ByteSource(bytes).below(1000);
    EXPECT_GE(now, last);
    last = now;
  }
  EXPECT_GT(last, 990u);
}

TEST(Normal, HasTheMomentsAndTheTailsOfANormal) {
  std::vector<float> x(1 << 20);
  Words words(3);
  fill_normal(x, 1, words);
  double mean = 0, square = 0, fourth = 0;
  std::size_t beyond_two = 0;
  for (const double v : x) {
    mean += v;
    square += v * v;
    fourth += v * v * v * v;
    beyond_two += std::abs(v) > 2 ? 1 : 0;
  }
  const auto n = static_cast<double>(x.size());
  EXPECT_NEAR(mean / n, 0, 0.005);
  EXPECT_NEAR(square / n, 1, 0.005);
  EXPECT_NEAR(fourth / n, 3, 0.06);
  EXPECT_NEAR(static_cast<double>(beyond_two) / n, 0.0455, 0.001);
}

TEST(Uniform, StaysWithinItsBoundAndFillsIt) {
  std::vector<float> x(1 << 16);
  Words words(4);
  fill_uniform(x, 0.25f, words);
  const auto [low, high] = std::ranges::minmax(x);
  EXPECT_GE(low, -0.25f);
  EXPECT_LT(high, 0.25f);
  EXPECT_LT(low, -0.2499f);
  EXPECT_GT(high, 0.2499f);
}

TEST(DrawSize, HitsSmallSizesAndBothSidesOfEachTile) {
  SeedSource source(9, 9);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 20000; ++i) seen.insert(draw_size(source, 129));
  for (const std::uint32_t n : {1u, 2u, 3u, 4u, 5u}) EXPECT_TRUE(seen.contains(n)) << n;
  for (std::uint32_t tile = 4; tile <= 128; tile *= 2) {
    for (const std::uint32_t n : {tile - 1, tile, tile + 1}) EXPECT_TRUE(seen.contains(n)) << n;
  }
  EXPECT_FALSE(seen.contains(0));
  EXPECT_LE(*seen.rbegin(), 129u);
}

TEST(DrawSize, StaysWithinAnyLimit) {
  for (std::uint32_t limit = 0; limit < 40; ++limit) {
    SeedSource source(9, limit);
    for (int i = 0; i < 300; ++i) {
      const std::uint32_t size = draw_size(source, limit);
      ASSERT_LE(size, limit);
      ASSERT_EQ(size == 0, limit == 0);
    }
  }
}

}  // namespace
}  // namespace ulpfuzz::generators
