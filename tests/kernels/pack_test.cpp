#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "shuffled_block.hpp"
#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/kernels/device.hpp"
#include "ulpfuzz/kernels/pack_programs.hpp"

namespace ulpfuzz::kernels {
namespace {

// What 16 bits stand for: sign, exponent, fraction (IEEE 754-2019, section 3.4; bf16 likewise).
double value_of(std::uint16_t bits, int fraction_bits, int bias) {
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const int exponent = (bits & 0x7fff) >> fraction_bits;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 2 * bias + 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  const double scale = std::ldexp(1.0, std::max(exponent, 1) - bias - fraction_bits);
  return sign * scale * (fraction + (exponent == 0 ? 0 : 1 << fraction_bits));
}

void expect_packed(float x) {
  const double fp16 = round_to(x, Format::fp16), bf16 = round_to(x, Format::bf16);
  ASSERT_EQ(value_of(fp16_bits(x), 10, 15), fp16) << x;
  ASSERT_EQ(value_of(bf16_bits(x), 7, 127), bf16) << x;
  ASSERT_EQ(std::signbit(value_of(fp16_bits(x), 10, 15)), std::signbit(fp16)) << x;
  ASSERT_EQ(std::signbit(value_of(bf16_bits(x), 7, 127)), std::signbit(bf16)) << x;
}

TEST(PackElements, RoundsToTheNearestNumberOfSixteenBits) {
  std::size_t tried = 0;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 40503, ++tried) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!std::isnan(x)) expect_packed(x);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tried, 100000u);
  // Every number of fp16 and bf16, half way to the next one, and its neighbours.
  for (std::uint32_t half = 0; half < 0x7f80; ++half)
    for (const int step : {-1, 0, 1}) {
      const auto bf16 = (half << 16) + 0x8000 + static_cast<std::uint32_t>(step);
      expect_packed(std::bit_cast<float>(bf16));
      if (half > 0x7bff) continue;
      const double here = value_of(static_cast<std::uint16_t>(half), 10, 15);
      const double next =
          half == 0x7bff ? 65536 : value_of(static_cast<std::uint16_t>(half + 1), 10, 15);
      const auto middle = static_cast<float>(0.5 * (here + next));
      expect_packed(step == 0 ? middle : std::nextafter(middle, static_cast<float>(step) * 1e30f));
      if (HasFatalFailure()) return;
    }
}

TEST(PackElements, KeepsNansAndInfinitiesAndTheirSigns) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(fp16_bits(infinity), 0x7c00);
  EXPECT_EQ(fp16_bits(-infinity), 0xfc00);
  EXPECT_EQ(bf16_bits(-infinity), 0xff80);
  for (const std::uint32_t bits : {0x7f800001u, 0xff800001u, 0x7fc00000u, 0xffffffffu}) {
    const float nan = std::bit_cast<float>(bits);
    EXPECT_TRUE(std::isnan(value_of(fp16_bits(nan), 10, 15)));
    EXPECT_TRUE(std::isnan(value_of(bf16_bits(nan), 7, 127)));
    EXPECT_EQ(fp16_bits(nan) >> 15, bits >> 31);
    EXPECT_EQ(bf16_bits(nan) >> 15, bits >> 31);
  }
}

TEST(PackElements, LaysOutEveryEntryWhateverTheStrides) {
  std::vector<float> x(400);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const auto device = make_host_device();
  std::mt19937 engine(1);
  const auto below = [&](std::size_t n) { return engine() % n; };
  for (int trial = 0; trial < 200; ++trial) {
    Pack pack{.x = x.data(),
              .x_row = below(9),
              .x_column = below(9),
              .x_entry = below(30),
              .repeat = 1 + below(3),
              .entries = below(8),
              .rows = below(8),
              .columns = below(8)};
    const std::size_t size = pack.rows * pack.columns;
    std::vector<float> y(pack.entries * size + 1, -1.0f);
    std::vector<std::uint16_t> half(y.size(), 0x7e01);
    pack.y = y.data();
    device->launch(pack, nullptr);
    pack.to = Format::fp16;
    pack.y = half.data();
    device->launch(pack, nullptr);
    device->synchronize();
    std::vector<std::uint16_t> shuffled(half.size(), 0x7e01);
    pack.y = shuffled.data();
    with_programs(pack, nullptr, ShuffledRun(ThreadOrder::random, true));
    EXPECT_EQ(shuffled, half);
    std::size_t at = 0;
    for (std::size_t e = 0; e < pack.entries; ++e)
      for (std::size_t i = 0; i < pack.rows; ++i)
        for (std::size_t j = 0; j < pack.columns; ++j, ++at) {
          const float expected =
              x[e / pack.repeat * pack.x_entry + i * pack.x_row + j * pack.x_column];
          ASSERT_EQ(y[at], expected);
          ASSERT_EQ(value_of(half[at], 10, 15), expected);
        }
    EXPECT_EQ(y[at], -1);
    EXPECT_EQ(half[at], 0x7e01);
  }
}

}  // namespace
}  // namespace ulpfuzz::kernels
