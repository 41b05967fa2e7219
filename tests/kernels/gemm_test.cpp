#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "product_case.hpp"

namespace ulpfuzz::kernels {
namespace {

constexpr Tile tiles[] = {Tile::m16n16k16, Tile::m32n32k8, Tile::m64n64k8, Tile::m128n64k8};
constexpr std::uint32_t all_slices[] = {1, 2, 4};

std::string name_of(const Gemm& g) {
  const Product& p = g.product;
  return std::to_string(p.entries) + " x " + std::to_string(p.m) + "x" + std::to_string(p.k) + "x" +
         std::to_string(p.n) + " tile " + std::to_string(static_cast<int>(g.tile)) + " slices " +
         std::to_string(g.slices) + (g.fused ? " fused" : "") +
         (g.bias_first ? " bias first" : "") + " splits " + std::to_string(g.parts.splits) +
         " stream " + std::to_string(g.parts.stream) +
         (g.parts.combination == Combination::atomic ? " atomic" : "");
}

// A size around multiples of 1, 8 and the tile's.
std::size_t size_near(std::size_t tile, std::mt19937& random) {
  const std::size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 13, tile - 1, tile, tile + 1};
  return sizes[random() % std::size(sizes)];
}

Operands operands_for(Tile tile, Values values, std::mt19937& random) {
  const naive::TileSize size = naive::size_of(tile);
  const std::size_t m = size_near(size.rows, random), n = size_near(size.columns, random);
  const std::size_t depths[] = {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 24, 31, 33, 50};
  return operands(m, n, depths[random() % std::size(depths)], values, random);
}

// Launches of every tile, number of slices and rounding with `parts`, all equal to the naive order.
template <class Parts>
void expect_naive_everywhere(const Parts& parts, unsigned times) {
  std::mt19937 random(71);
  for (const Tile tile : tiles)
    for (const std::uint32_t slices : all_slices)
      for (const auto values : {Values::moderate, Values::wide, Values::special})
        for (unsigned time = 0; time < times; ++time) {
          const Operands o = operands_for(tile, values, random);
          const bool fused = random() % 2 == 0, bias_first = random() % 2 == 0;
          const Gemm g{o.product, tile, slices, fused, bias_first, parts(random)};
          const bool any_order = g.parts.combination == Combination::ordered;
          ASSERT_NO_FATAL_FAILURE(expect_naive(g, any_order, name_of(g)));
        }
}

TEST(Gemm, AddsInItsOrder) {
  expect_naive_everywhere([](std::mt19937&) { return Decomposition{}; }, 15);
}

TEST(Gemm, AddsPartsOfSplitKFirstToLast) {
  expect_naive_everywhere(
      [](std::mt19937& random) {
        return Decomposition{.splits = static_cast<std::uint32_t>(1 + random() % 8)};
      },
      15);
}

TEST(Gemm, AddsPartsOfStreamKFirstToLast) {
  expect_naive_everywhere(
      [](std::mt19937& random) {
        return Decomposition{.stream = static_cast<std::uint32_t>(1 + random() % 40)};
      },
      15);
}

TEST(Gemm, AddsPartsToZeroInTheOrderOfBlocks) {
  expect_naive_everywhere(
      [](std::mt19937& random) {
        const auto count = static_cast<std::uint32_t>(1 + random() % 9);
        return Decomposition{.splits = count,
                             .stream = random() % 2 == 0 ? 0 : count,
                             .combination = Combination::atomic};
      },
      15);
}

TEST(Gemm, IsExactOfSmallIntegersInEveryVariant) {
  std::mt19937 random(5);
  Operands o = operands(67, 35, 41, Values::moderate, random);
  o.product.phi = Phi::identity;
  for (Floats* x : {&o.a, &o.b, &o.bias})
    for (float& value : *x) value = static_cast<float>(random() % 17) - 8;
  const Floats expected = naive::result(Gemm{o.product});
  for (const Tile tile : tiles)
    for (const std::uint32_t slices : all_slices)
      for (const Decomposition& parts :
           {Decomposition{}, Decomposition{.splits = 3}, Decomposition{.stream = 7},
            Decomposition{2, 0, Combination::atomic}}) {
        const Gemm g{o.product, tile, slices, true, true, parts};
        expect_bits(product_on_host(g), expected, name_of(g));
      }
}

// Every field changes bits of some product: none is ignored.
TEST(Gemm, HasAnOrderOfItsOwnForEveryField) {
  std::mt19937 random(9);
  Operands o = operands(20, 20, 200, Values::moderate, random);
  o.product.phi = Phi::identity;
  o.product.bias = o.bias.data();
  std::set<std::vector<std::uint32_t>> different;
  std::size_t launches = 0;
  for (const std::uint32_t slices : all_slices)
    for (const bool fused : {false, true})
      for (const bool bias_first : {false, true})
        for (const Decomposition& parts :
             {Decomposition{}, Decomposition{.splits = 2}, Decomposition{.splits = 3},
              Decomposition{.stream = 5}}) {
          std::vector<std::uint32_t> bits;
          for (const float y :
               product_on_host(Gemm{o.product, Tile::m32n32k8, slices, fused, bias_first, parts}))
            bits.push_back(bits_of(y));
          different.insert(bits);
          ++launches;
        }
  EXPECT_EQ(different.size(), launches);
}

TEST(Gemm, GivesOneOfThePermutationsWhenBlocksShuffle) {
  std::mt19937 random(3);
  Operands o = operands(5, 3, 64, Values::moderate, random);
  o.product.entries = 1;
  const Gemm g{o.product, Tile::m16n16k16, 1, true, false, {4, 0, Combination::atomic}};
  const auto device = make_host_device(BlockOrder::shuffled);
  std::vector<Floats> results;
  for (int time = 0; time < 50; ++time) results.push_back(product_on_host(g, *device));
  std::size_t most = 0;
  for (std::size_t at = 0; at < 15; ++at) {
    const naive::Element e{o.product, 0, at / 3, at % 3};
    naive::Sums parts = naive::part_sums(g, e);
    ASSERT_EQ(parts.size(), 4u);
    std::set<std::uint32_t> possible, seen;
    std::sort(parts.begin(), parts.end());
    do possible.insert(bits_of(naive::combined(g, e, parts)));
    while (std::next_permutation(parts.begin(), parts.end()));
    for (const Floats& y : results) {
      EXPECT_EQ(possible.count(bits_of(y[at])), 1u);
      seen.insert(bits_of(y[at]));
    }
    most = std::max(most, seen.size());
  }
  EXPECT_GE(most, 2u);
}

TEST(Gemm, KeepsItsBitsWhenBlocksOfOrderedPartsShuffle) {
  std::mt19937 random(4);
  const Operands o = operands(40, 40, 90, Values::moderate, random);
  const Gemm g{o.product, Tile::m16n16k16, 2, true, false, {.stream = 23}};
  const auto device = make_host_device(BlockOrder::shuffled);
  const Floats expected = product_on_host(g);
  for (int time = 0; time < 5; ++time) expect_bits(product_on_host(g, *device), expected, "");
}

TEST(Gemm, OfNoTermsIsTheBias) {
  const Floats bias = {-0.0f, 2.0f};
  Product p{.m = 1, .n = 2, .k = 0, .bias = bias.data()};
  const auto y = [&](bool first) {
    return product_on_host(Gemm{p, Tile::m32n32k8, 1, true, first, {}});
  };
  EXPECT_EQ(bits_of(y(true)[0]), bits_of(-0.0f));
  EXPECT_EQ(bits_of(y(false)[0]), bits_of(0.0f));  // +0 + -0
  EXPECT_EQ(y(true)[1], 2.0f);
  EXPECT_EQ(y(false)[1], 2.0f);
}

TEST(Gemm, RefusesOtherNumbersOfSlices) {
  const auto device = make_host_device();
  EXPECT_THROW(device->launch(Gemm{.slices = 3}, nullptr), std::invalid_argument);
  EXPECT_THROW(device->launch(Gemm{.slices = 0}, nullptr), std::invalid_argument);
}

TEST(Gemm, NeedsWorkspaceForPartsThatAreKept) {
  Gemm g{.product = {.m = 33, .n = 20, .k = 64}, .tile = Tile::m32n32k8};
  EXPECT_EQ(workspace_floats(g), 0u);
  g.parts.splits = 3;
  EXPECT_EQ(workspace_floats(g), 2u * 3 * 32 * 32);
  g.parts.combination = Combination::atomic;
  EXPECT_EQ(workspace_floats(g), 0u);
  g.product.k = 8;  // one step: nothing to split
  g.parts.combination = Combination::ordered;
  EXPECT_EQ(workspace_floats(g), 0u);
}

}  // namespace
}  // namespace ulpfuzz::kernels
