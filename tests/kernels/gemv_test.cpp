#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "product_case.hpp"

namespace ulpfuzz::kernels {
namespace {

std::string gemv_name(const Gemv& g) {
  const Product& p = g.product;
  return std::to_string(p.entries) + " x " + std::to_string(p.m) + "x" + std::to_string(p.k) + "x" +
         std::to_string(p.n) + " lanes " + std::to_string(g.lanes) + " vector " +
         std::to_string(g.vector) + (g.fused ? " fused" : "");
}

constexpr std::size_t few[] = {0, 1, 1, 1, 2, 3, 5};
constexpr std::size_t many[] = {0, 1, 2, 3, 4, 5, 7, 16, 33};
constexpr std::size_t terms[] = {0,  1,   2,   3,   4,   5,   31,  32,  33,  63,  64,  65,
                                 66, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1000};

TEST(Gemv, AddsInItsOrder) {
  std::mt19937 random(17);
  for (const std::uint32_t lanes : {32u, 128u})
    for (const std::uint32_t vector : {1u, 4u})
      for (const auto values : {Values::moderate, Values::wide, Values::special})
        for (const std::size_t k : terms) {
          std::size_t m = few[random() % std::size(few)], n = many[random() % std::size(many)];
          if (random() % 2 == 0) std::swap(m, n);
          const Operands o = operands(m, n, k, values, random);
          const Gemv g{o.product, lanes, vector, random() % 2 == 0};
          ASSERT_NO_FATAL_FAILURE(expect_naive(g, true, gemv_name(g)));
        }
}

TEST(Gemv, HasAnOrderOfItsOwnForEveryField) {
  std::mt19937 random(19);
  Operands o = operands(1, 40, 1000, Values::moderate, random);
  o.product.phi = Phi::identity;
  std::set<std::vector<std::uint32_t>> different;
  for (const std::uint32_t lanes : {32u, 128u})
    for (const std::uint32_t vector : {1u, 4u})
      for (const bool fused : {false, true}) {
        std::vector<std::uint32_t> bits;
        for (const float y : product_on_host(Gemv{o.product, lanes, vector, fused}))
          bits.push_back(bits_of(y));
        different.insert(bits);
      }
  EXPECT_EQ(different.size(), 8u);
}

// 2^24 + 1 rounds to 2^24, while 2^24 + 2 is exact: the sum shows whether the ones met before.
TEST(Gemv, AddsLanesThatAreFarApartFirst) {
  const auto sum = [](std::vector<std::size_t> ones) {
    Floats a(32, 0.0f), b(32, 1.0f);
    a[0] = 0x1p24f;
    for (const std::size_t lane : ones) a[lane] = 1;
    const Product p{
        .m = 1, .n = 1, .k = 32, .a = a.data(), .a_step = 1, .b = b.data(), .b_step = 1};
    return product_on_host(Gemv{p})[0];
  };
  EXPECT_EQ(sum({16, 8}), 0x1p24f);      // (2^24 + 1) + 1
  EXPECT_EQ(sum({4, 20}), 0x1p24f + 2);  // 2^24 + (1 + 1)
  EXPECT_EQ(sum({1, 17}), 0x1p24f + 2);
  EXPECT_EQ(sum({1, 2}), 0x1p24f);
  EXPECT_EQ(sum({1, 3}), 0x1p24f + 2);
}

TEST(Gemv, RefusesOtherLanesAndVectors) {
  const auto device = make_host_device();
  EXPECT_THROW(device->launch(Gemv{.lanes = 64}, nullptr), std::invalid_argument);
  EXPECT_THROW(device->launch(Gemv{.vector = 2}, nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace ulpfuzz::kernels
