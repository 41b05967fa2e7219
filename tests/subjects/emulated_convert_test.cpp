#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "emulated/convert.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::emulated {
namespace {

std::vector<float> numbers(std::size_t count, std::mt19937& random) {
  std::vector<float> x(count);
  for (float& v : x) v = __builtin_bit_cast(float, static_cast<std::uint32_t>(random()));
  return x;
}

bool equal(float a, float b) { return same_bits(a, b) || (std::isnan(a) && std::isnan(b)); }

// Whole vectors and what is left over run through different code, which a compiler may get wrong.
TEST(EmulatedConvert, RoundsArraysOfEveryLengthInPlaceAndElsewhere) {
  std::mt19937 random(1);
  for (const Format format : {Format::fp32, Format::tf32, Format::bf16, Format::fp16})
    for (const Rounding rounding :
         {Rounding::nearest_even, Rounding::nearest_away, Rounding::toward_zero})
      for (std::size_t count = 0; count < 200; ++count) {
        const std::vector<float> x = numbers(count, random);
        std::vector<float> y(count), z = x;
        round_to(x.data(), count, format, rounding, y.data());
        round_to(z.data(), count, format, rounding, z.data());
        for (std::size_t i = 0; i < count; ++i) {
          const auto expected = static_cast<float>(ulpfuzz::round_to(x[i], format, rounding));
          ASSERT_TRUE(equal(y[i], expected)) << i << " of " << count << ": " << x[i];
          ASSERT_TRUE(equal(z[i], expected)) << i << " of " << count << ": " << x[i];
        }
      }
}

TEST(EmulatedConvert, FlushesArraysOfEveryLength) {
  std::mt19937 random(2);
  for (std::size_t count = 0; count < 200; ++count) {
    std::vector<float> x = numbers(count, random);
    for (std::size_t i = 0; i < count; i += 2) x[i] *= 0x1p-126f;
    std::vector<float> y = x;
    flush_subnormals(y.data(), count);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_TRUE(equal(y[i], std::fabs(x[i]) < 0x1p-126f ? std::copysign(0.0f, x[i]) : x[i]));
  }
}

TEST(EmulatedConvert, ThreePiecesOfBf16AndTwoOfTf32AddUpToTheNumberUpToTheirLastBit) {
  std::mt19937 random(3);
  std::normal_distribution<float> draw;
  for (const auto& [format, pieces, bits] :
       {std::tuple{Format::bf16, 3u, 24}, {Format::bf16, 2u, 16}, {Format::tf32, 2u, 22}})
    for (const Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero}) {
      const std::size_t count = 1000;
      std::vector<float> x(count), y(count * pieces);
      for (float& v : x) v = draw(random);
      convert(x.data(), count, {format, rounding, pieces, false}, y.data());
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (std::size_t p = 0; p < pieces; ++p) {
          const float piece = y[p * count + i];
          EXPECT_EQ(piece, ulpfuzz::round_to(piece, format));
          sum += piece;
        }
        EXPECT_LE(std::fabs(sum - x[i]), bits == 24 ? 0 : std::ldexp(std::fabs(x[i]), 1 - bits));
      }
    }
}

TEST(EmulatedConvert, AlignmentsAreTheExponentFieldsThatAUnitReads) {
  const std::vector<float> x = {1.75f, -3.0f, 0x1p-20f, 0x1p-130f};
  std::vector<std::int32_t> y(x.size());
  alignments(x.data(), x.size(), Format::tf32, y.data());
  EXPECT_EQ(y, (std::vector<std::int32_t>{0, 1, -20, -126}));
  alignments(x.data(), x.size(), Format::fp16, y.data());
  EXPECT_EQ(y, (std::vector<std::int32_t>{0, 1, -14, -14}));
}

TEST(EmulatedConvert, AlignmentsOfZerosAndOfWhatIsNotFiniteShowInSumsWithAny) {
  const std::vector<float> x = {0.0f, -0.0f, 0x1p127f, INFINITY, -INFINITY, NAN, 0x1p-149f};
  std::vector<std::int32_t> y(x.size());
  alignments(x.data(), x.size(), Format::bf16, y.data());
  for (const int i : {0, 1})
    for (const int j : {0, 1, 2, 6}) EXPECT_LT(y[i] + y[j], -126 - 126);
  for (const int i : {3, 4, 5})
    for (const int j : {0, 1, 2, 3, 4, 5, 6}) EXPECT_GT(y[i] + y[j], 128 + 127);
}

}  // namespace
}  // namespace ulpfuzz::emulated
