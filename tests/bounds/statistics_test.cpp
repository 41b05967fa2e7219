#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "bounds/network_support.hpp"

namespace ulpfuzz::bounds {
namespace {

TEST(Lambda, IsThatOfASubgaussianTail) {
  EXPECT_NEAR(lambda(1), 6.5447, 1e-4);
  EXPECT_NEAR(lambda(1'000'000), std::sqrt(2 * std::log(2e15)), 1e-12);
  EXPECT_EQ(lambda(0), lambda(1));
  EXPECT_GT(lambda(10, 1e-12), lambda(10, 1e-9));
}

TEST(Lambda, RefusesWhatIsNoProbability) {
  EXPECT_THROW(lambda(1, 0), std::invalid_argument);
  EXPECT_THROW(lambda(1, 1), std::invalid_argument);
  EXPECT_THROW(lambda(1, std::nan("")), std::invalid_argument);
}

TEST(RandomLowBits, AreInRandomNumbersOnly) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> v(64);
  for (float& f : v) f = normal(random);
  EXPECT_TRUE(has_random_low_bits(v));
  std::vector<float> integers = v, constants(64, 0.1f), sparse(64, 0), powers(64);
  for (float& f : integers) f = std::round(4 * f);
  for (std::size_t i = 0; i < 20; ++i) sparse[3 * i] = v[i];
  for (std::size_t i = 0; i < 64; ++i) powers[i] = std::ldexp(1.0f, static_cast<int>(i % 9));
  for (const auto& s : {integers, constants, sparse, powers, std::vector<float>{}})
    EXPECT_FALSE(has_random_low_bits(s));
}

TEST(Analysis, RefusesTheWrongNumberOfOperandsAndOutputs) {
  testing::Bench b;
  testing::make_dot(b, {1});
  EXPECT_THROW(b.analysis.run(b.network, {}, 1, {}, {}), std::invalid_argument);
  b.run({{1}});
  EXPECT_THROW(b.analysis.output(1), std::invalid_argument);
  EXPECT_THROW(b.analysis.refine(1), std::invalid_argument);
}

TEST(Analysis, OfAnEmptyBatchHasNoElements) {
  testing::Bench b;
  testing::make_dot(b, {1, 2});
  EXPECT_EQ(b.run(0, {{}}).sound.size(), 0u);
}

TEST(Analysis, DoesNotDependOnWhatItAnalysedBefore) {
  testing::Bench b;
  testing::make_dot(b, {0.3f, 0.7f});
  const float inf = std::numeric_limits<float>::infinity();
  const double before = b.run({{0.1f, 0.2f}}).sound[0];
  b.run({{inf, 1, 3, 4, 5, 6}});
  const OutputBounds after = b.run({{0.1f, 0.2f}});
  EXPECT_EQ(after.sound[0], before);
  EXPECT_EQ(after.judgement[0], Judgement::usable);
}

}  // namespace
}  // namespace ulpfuzz::bounds
