#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>

#include "launches.hpp"
#include "on_device.hpp"

/// Sums that blocks add up as they end: an element is one of the results of all orders.
namespace ulpfuzz::kernels {
namespace {

using namespace testing_support;

constexpr std::size_t parts = 4, part = 48;  // whole steps of every tile

struct Split {
  Problem problem{"split product"};
  std::vector<Problem> partial;      // its parts, whole
  std::size_t first = 0, count = 0;  // of y in memory
};

// Of operands around `size`.
template <class Gemm>
Split split_product(Gemm gemm, float size) {
  Split split;
  std::mt19937 random(5);
  const std::size_t m = 70, n = 33, k = parts * part;
  Product p{.m = m, .n = n, .k = k};
  p.a_row = k, p.a_step = 1;
  p.b_step = 1, p.b_column = k;
  float* const a = split.problem.array(m * k, random, Values::ordinary);
  float* const b = split.problem.array(n * k, random, Values::ordinary);
  for (std::size_t i = 0; i < m * k; ++i) a[i] *= size;
  for (std::size_t i = 0; i < n * k; ++i) b[i] *= size;
  p.a = a, p.b = b;
  p.y = split.problem.output(m * n);
  split.first = static_cast<std::size_t>(p.y - split.problem.memory.data());
  split.count = m * n;
  gemm.product = p;
  for (std::size_t i = 0; i < parts; ++i) {
    split.partial.push_back(split.problem.copy());
    Problem& one = split.partial.back();
    const auto in_copy = [&](const float* x) {
      return one.memory.data() + (x - split.problem.memory.data());
    };
    gemm.product.k = part;
    gemm.product.a = in_copy(p.a) + i * part;
    gemm.product.b = in_copy(p.b) + i * part;
    gemm.product.y = one.memory.data() + split.first;
    one.launch = gemm;
  }
  gemm.product = p;
  gemm.parts = {.splits = parts, .combination = Combination::atomic};
  split.problem.launch = gemm;
  return split;
}

// Of each element, the results of all orders.
std::vector<std::set<std::uint32_t>> all_orders(const Split& split, Device& host) {
  std::vector<std::vector<float>> partial;
  for (const Problem& one : split.partial) partial.push_back(run(host, one));
  std::vector<std::set<std::uint32_t>> results(split.count);
  std::vector<std::size_t> order(parts);
  std::iota(order.begin(), order.end(), 0);
  do {
    for (std::size_t i = 0; i < split.count; ++i) {
      float sum = 0;
      for (const std::size_t p : order) sum += partial[p][split.first + i];
      results[i].insert(std::bit_cast<std::uint32_t>(sum));
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return results;
}

template <class Gemm>
void expect_one_of_all_orders(Device& device, const Gemm& gemm, float size = 1) {
  const auto host = make_host_device();
  const Split split = split_product(gemm, size);
  const auto results = all_orders(split, *host);
  // Sums of subnormal numbers are exact.
  EXPECT_EQ(size == 1, std::any_of(results.begin(), results.end(),
                                   [](const auto& values) { return values.size() > 1; }));
  for (int repetition = 0; repetition < 5; ++repetition) {
    const std::vector<float> y = run(device, split.problem);
    for (std::size_t i = 0; i < split.count; ++i)
      ASSERT_TRUE(results[i].count(std::bit_cast<std::uint32_t>(y[split.first + i])))
          << "element " << i << ": " << y[split.first + i];
  }
}

class Atomic : public OnDevice {};

TEST_F(Atomic, SumsOfAGemmAreThoseOfSomeOrder) {
  for (const Tile tile : {Tile::m16n16k16, Tile::m32n32k8, Tile::m64n64k8, Tile::m128n64k8})
    expect_one_of_all_orders(device(), Gemm{.tile = tile});
}

TEST_F(Atomic, SubnormalSumsAreKept) { expect_one_of_all_orders(device(), Gemm{}, 0x1p-67f); }

TEST_F(Atomic, SumsOfAUnitAreThoseOfSomeOrder) { expect_one_of_all_orders(device(), UnitGemm{}); }

TEST(AtomicOnTheHost, SumsAreThoseOfSomeOrder) {
  const auto shuffled = make_host_device(BlockOrder::shuffled);
  expect_one_of_all_orders(*shuffled, Gemm{});
  expect_one_of_all_orders(*shuffled, UnitGemm{});
  expect_one_of_all_orders(*shuffled, Gemm{}, 0x1p-67f);
}

}  // namespace
}  // namespace ulpfuzz::kernels
