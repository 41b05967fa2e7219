#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::generators {
namespace {

std::uint64_t elements(const Case& c) {
  std::uint64_t total = 0;
  for (const Tensor& t : c.parameters) total += t.data.size();
  for (const Tensor& t : c.inputs) total += t.cols;
  return total;
}

// Multiply-adds of the products of one batch row.
std::uint64_t products(const Network& net) {
  std::uint64_t total = 0;
  for (const Node& n : net.nodes()) {
    if (n.op != Op::linear && n.op != Op::matmul) continue;
    const Shape a = net.node(n.args[0]).shape;
    total += n.shape.size() * (n.op == Op::matmul && n.transpose_a ? a.rows : a.cols);
  }
  return total;
}

class Everything : public testing::TestWithParam<Limits> {};

TEST_P(Everything, IsValidAndWithinTheLimits) {
  const Limits& limits = GetParam();
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Case c = case_from_seed(11, i, limits);
    ASSERT_NO_THROW(validate(c)) << i << ": " << describe(c);
    EXPECT_LE(c.batch(), limits.batch) << i;
    EXPECT_LE(products(c.network) * c.batch(), limits.work) << i << ": " << describe(c);
    for (const Node& n : c.network.nodes()) {
      if (n.axis == Axis::shared) continue;
      EXPECT_LE(n.shape.cols, std::max(limits.width, 1u)) << describe(c);
    }
    if (limits.jacobian == 0) {
      EXPECT_EQ(c.cotangents.cols, 0u);
      continue;
    }
    EXPECT_EQ(c.cotangents.cols, c.output_width());
    EXPECT_EQ(c.cotangents.rows, c.batch());
    EXPECT_LE(c.batch() * c.output_width() * elements(c), limits.jacobian) << i << describe(c);
  }
}

std::vector<Limits> several_limits() {
  std::vector<Limits> all{Limits{}, gradient_limits(), Limits{}, Limits{}, Limits{}, Limits{}};
  all[2].depth = all[2].width = all[2].batch = 1;
  all[2].work = 64;
  all[3].depth = 0;
  all[4].depth = 20;
  all[4].work = 100'000;
  all[5].jacobian = 200;
  return all;
}
INSTANTIATE_TEST_SUITE_P(Limits, Everything, testing::ValuesIn(several_limits()),
                         [](const auto& p) { return std::to_string(p.index); });

TEST(CaseFromSeed, GivesTheSameCaseAgain) {
  for (std::uint64_t i = 0; i < 100; ++i) {
    EXPECT_TRUE(identical(case_from_seed(3, i), case_from_seed(3, i)));
  }
  EXPECT_FALSE(identical(case_from_seed(3, 0), case_from_seed(3, 1)));
  EXPECT_FALSE(identical(case_from_seed(3, 0), case_from_seed(4, 0)));
}

// One number of many content hashes (FNV-1a).
std::uint64_t fingerprint(std::uint64_t seed, const Limits& limits) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (std::uint64_t i = 0; i < 300; ++i) {
    for (const char letter : content_hash(case_from_seed(seed, i, limits))) {
      hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
    }
  }
  return hash;
}

// A change here changes what every recorded seed means: say so in CHANGELOG.md.
TEST(CaseFromSeed, GivesTheCasesItAlwaysGave) {
  Limits plain;
  plain.kind = Limits::Kind::plain;
  EXPECT_EQ(content_hash(case_from_seed(0, 0)), "a7e66f24a80875a3");
  EXPECT_EQ(fingerprint(1, Limits{}), 0xcfe4c83299b439bfu);
  EXPECT_EQ(fingerprint(2, gradient_limits()), 0xb4ca4c787b077b05u);
  EXPECT_EQ(fingerprint(3, plain), 0xdba7b830ce108ae0u);
}

TEST(Plain, IsTheDistributionOfTheBenchmark) {
  Limits limits;
  limits.kind = Limits::Kind::plain;
  std::array<int, 5> depths{};
  std::size_t most_slices = 0, least_batch = 64, most_batch = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Case c = case_from_seed(2, i, limits);
    ASSERT_NO_THROW(validate(c));
    ++depths.at(c.parameters.size() / 2);
    most_slices = std::max(most_slices, c.split.size());
    least_batch = std::min(least_batch, c.batch());
    most_batch = std::max(most_batch, c.batch());
    std::uint32_t row = 0;
    for (const Slice& slice : c.split) {
      EXPECT_FALSE(slice.rows.empty());
      EXPECT_EQ(slice.padding, 0u);
      for (const std::uint32_t r : slice.rows) EXPECT_EQ(r, row++);
    }
    EXPECT_EQ(row, c.batch());
    for (const Tensor& t : c.parameters) {
      EXPECT_TRUE(t.rows >= 1 && t.rows <= 32 && t.cols >= 1 && t.cols <= 32);
    }
    for (const Node& n : c.network.nodes()) {
      EXPECT_TRUE(n.op == Op::input || n.op == Op::parameter || n.op == Op::linear ||
                  n.op == Op::relu || n.op == Op::tanh || n.op == Op::sigmoid);
    }
  }
  EXPECT_EQ(depths[0], 0);
  for (std::size_t d = 1; d <= 4; ++d) EXPECT_NEAR(depths[d], 500, 120);
  EXPECT_EQ(most_slices, 7u);
  EXPECT_EQ(least_batch, 1u);
  EXPECT_EQ(most_batch, 64u);
}

TEST(Plain, HasCotangentsOnlyForGradients) {
  Limits limits;
  limits.kind = Limits::Kind::plain;
  EXPECT_EQ(case_from_seed(2, 0, limits).cotangents.cols, 0u);
  limits.jacobian = 1;
  const Case c = case_from_seed(2, 0, limits);
  EXPECT_EQ(c.cotangents.cols, c.output_width());
}

TEST(CaseFromFuzzer, MakesAValidSmallCaseOfAnyBytes) {
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    SeedSource random(8, i);
    bytes.resize(random.below(120));
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    const Case c = case_from_fuzzer(bytes, gradient_limits());
    ASSERT_NO_THROW(validate(c)) << i;
    EXPECT_LE(c.batch(), 17u);
  }
  EXPECT_NO_THROW(validate(case_from_fuzzer({})));
}

TEST(CaseFromFuzzer, ReadsCaseFiles) {
  const Case c = case_from_seed(1, 1);
  const auto bytes = to_bytes({c, {}});
  EXPECT_TRUE(identical(case_from_fuzzer(bytes), c));
}

TEST(CaseFromFuzzer, TakesADamagedCaseFileForChoices) {
  auto bytes = to_bytes({case_from_seed(1, 1), {}});
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_NO_THROW(validate(case_from_fuzzer(bytes)));
}

TEST(WithRandomLowBits, ChangesLittleAndLeavesSpecialValues) {
  Case c = case_from_seed(1, 3);
  c.inputs[0].data = std::vector<float>(c.inputs[0].data.size(), 1.5f);
  ASSERT_GE(c.inputs[0].data.size(), 4u);
  c.inputs[0].data[0] = -0.0f;
  c.inputs[0].data[1] = INFINITY;
  c.inputs[0].data[2] = 1e-40f;
  const Case d = with_random_low_bits(c, 5);
  EXPECT_TRUE(identical(d, with_random_low_bits(c, 5)));
  EXPECT_FALSE(identical(d, with_random_low_bits(c, 6)));
  EXPECT_NO_THROW(validate(d));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(d.inputs[0].data[i], c.inputs[0].data[i]);
  std::size_t changed = 0;
  for (std::size_t i = 3; i < c.inputs[0].data.size(); ++i) {
    EXPECT_NEAR(d.inputs[0].data[i], 1.5f, 1.5f * 0x1p-10f);
    changed += d.inputs[0].data[i] != 1.5f ? 1 : 0;
  }
  EXPECT_GE(changed, 1u);
  EXPECT_EQ(d.split, c.split);
}

}  // namespace
}  // namespace ulpfuzz::generators
