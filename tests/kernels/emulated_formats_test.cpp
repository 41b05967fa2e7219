#include "ulpfuzz/kernels/emulated_formats.hpp"

#include <gtest/gtest.h>

#include <random>

#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"
#include "ulpfuzz/kernels/matmul_unit.hpp"

namespace ulpfuzz::kernels {
namespace {

float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

// Calls use(x) for patterns of bits in all binades, of both signs: those next to every place where
// a rounding may change, and many between.
template <class Use>
void each_float(const Use& use) {
  std::mt19937 random(1);
  for (std::uint32_t high = 0; high < 1u << 16; ++high) {
    for (const std::uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u,
                                    0x7fffu, 0x8000u, 0x8001u, 0xefffu, 0xf000u, 0xffffu})
      use(from_bits(high << 16 | low));
    use(from_bits(high << 16 | random() % 65536));
  }
}

template <class Convert>
void expect_rounded(Format format, Rounding rounding, const Convert& convert) {
  std::size_t wrong = 0;
  each_float([&](float x) {
    const auto expected = static_cast<float>(round_to(double{x}, format, rounding));
    const float got = convert(x);
    if (same_bits(got, expected) || (std::isnan(got) && std::isnan(expected))) return;
    if (++wrong < 5)
      ADD_FAILURE() << traits(format).name << " " << int(rounding) << std::hexfloat << ": " << x
                    << " became " << got << " for " << expected;
  });
  EXPECT_EQ(wrong, 0u);
}

template <Cut How>
void expect_conversions(Rounding rounding) {
  expect_rounded(Format::tf32, rounding, drop_bits<13, How>);
  expect_rounded(Format::bf16, rounding, drop_bits<16, How>);
  expect_rounded(Format::fp16, rounding, to_fp16<How>);
}

TEST(EmulatedFormats, RoundAsTheFormatsDoInEveryBinade) {
  expect_conversions<Cut::to_even>(Rounding::nearest_even);
  expect_conversions<Cut::to_away>(Rounding::nearest_away);
  expect_conversions<Cut::to_zero>(Rounding::toward_zero);
}

TEST(EmulatedFormats, FlushSubnormalsAndNothingElse) {
  each_float([](float x) {
    const bool subnormal = x != 0 && std::fabs(x) < 0x1p-126f;
    const float expected = subnormal ? std::copysign(0.0f, x) : x;
    ASSERT_TRUE(same_bits(without_subnormals(x), expected)) << x;
  });
}

template <int Precision, int Least, int End>
void expect_narrow(Format format) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 400000; ++i) {
    // Exponents from below the least subnormal to beyond the largest number; some ties.
    const int exponent = -160 + static_cast<int>(random() % 300);
    double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
    if (i % 4 == 0)
      x = __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, x) >> 40 << 40);
    if (i % 2 == 0) x = -x;
    ASSERT_EQ((to_narrow<Precision, Least, End>(x)), round_to(x, format)) << std::hexfloat << x;
  }
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ((to_narrow<Precision, Least, End>(-infinity)), -infinity);
  EXPECT_TRUE(std::isnan(to_narrow<Precision, Least, End>(std::nan(""))));
  EXPECT_TRUE(std::signbit(to_narrow<Precision, Least, End>(-0.0)));
}

TEST(EmulatedFormats, RoundFp64ToNarrowerFormats) {
  expect_narrow<24, -126, 128>(Format::fp32);
  expect_narrow<11, -126, 128>(Format::tf32);
  expect_narrow<8, -126, 128>(Format::bf16);
  expect_narrow<11, -14, 16>(Format::fp16);
}

TEST(MatmulUnit, CutsSumsTowardZeroToFp32) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 400000; ++i) {
    const int exponent = -160 + static_cast<int>(random() % 300);
    double x = std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, exponent);
    if (i % 2 == 0) x = -x;
    const double expected = std::fabs(x) >= 0x1p128
                                ? std::copysign(INFINITY, x)
                                : round_to(x, Format::fp32, Rounding::toward_zero);
    ASSERT_EQ(cut_to_fp32(x), expected) << std::hexfloat << x;
  }
}

TEST(FastExp, ErrsByNoMoreThanIsStatedAndGrowsWithItsArgument) {
  double worst_small = 0, worst_large = 0;
  for (float x = -80; x < 80; x += 0.00137f) {
    const double exact = std::exp(double{x});
    const double ulps = std::fabs(fast_exp(x) - exact) / ulp(exact, Format::fp32);
    EXPECT_LE(ulps, 2 + 1.173 * std::fabs(x)) << x;
    (std::fabs(x) < 1 ? worst_small : worst_large) =
        std::max(std::fabs(x) < 1 ? worst_small : worst_large, ulps);
  }
  EXPECT_LT(worst_small, 2);
  EXPECT_GT(worst_large, 20);
}

TEST(FastTanh, ErrsByHalfOfTwoToTheMinus11ToAllOfItInEveryOctaveBelowOne) {
  for (int octave = -100; octave < 3; ++octave) {
    double worst = 0;
    for (float x = std::ldexp(1.0f, octave); x < std::ldexp(2.0f, octave); x *= 1.0001f) {
      worst = std::max(worst, std::fabs(fast_tanh(x) / std::tanh(double{x}) - 1));
      EXPECT_EQ(fast_tanh(-x), -fast_tanh(x));
    }
    EXPECT_LT(worst, 0x1p-11) << octave;
    if (octave < 1) {
      EXPECT_GT(worst, 0x1p-12) << octave;
    }
  }
}

TEST(FastTanh, IsMonotoneBelowThreeAndNeverBeyondOne) {
  for (float x = 0x1p-20f; x < 3; x = std::nextafter(x * 1.00001f, 5.0f))
    ASSERT_GE(fast_tanh(x * 1.00002f), fast_tanh(x)) << x;
  for (const float x : {4.0f, 9.0f, 88.0f, INFINITY}) EXPECT_LE(fast_tanh(x), 1.0f);
  EXPECT_TRUE(std::isnan(fast_tanh(NAN)));
  EXPECT_TRUE(std::signbit(fast_tanh(-0.0f)));
}

}  // namespace
}  // namespace ulpfuzz::kernels
