#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "../../bounds/conversion.hpp"
#include "../../bounds/general_coefficients.hpp"
#include "bounds/network_support.hpp"
#include "bounds/sums.hpp"
#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::u;

struct Scheme {
  Split split;
  Rounding rounding;
  double published;  ///< largest error that others measured, in u
};
const std::vector<Scheme> schemes = {
    {Split::bf16x3, Rounding::nearest_even, 434}, {Split::bf16x6, Rounding::nearest_even, 0.8},
    {Split::bf16x9, Rounding::nearest_even, 0},   {Split::tf32x3, Rounding::nearest_away, 6.8},
    {Split::tf32x3, Rounding::toward_zero, 23.8}, {Split::bf16x3, Rounding::toward_zero, 0},
    {Split::bf16x6, Rounding::toward_zero, 0},    {Split::bf16x9, Rounding::nearest_away, 0}};

Arithmetic arithmetic_of(const Scheme& s) {
  Arithmetic a;
  a.split = s.split;
  a.conversion = s.rounding;
  return a;
}

/// Three pieces of x, each the rounding of what those before leave.
std::vector<double> pieces(double x, const Scheme& s) {
  const Format format = s.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
  std::vector<double> p;
  for (int i = 0; i < 3; ++i) {
    p.push_back(round_to(x, format, s.rounding));
    x -= p.back();
  }
  return p;
}

/// The products of pieces that the scheme keeps: each is exact in fp32.
std::vector<double> kept_products(double w, double x, const Scheme& s) {
  const std::vector<double> a = pieces(w, s), b = pieces(x, s);
  const std::size_t last = s.split == Split::bf16x9 ? 4 : s.split == Split::bf16x6 ? 2 : 1;
  std::vector<double> products;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (i + j <= last) products.push_back(a[i] * b[j]);
  return products;
}

float random_float(std::mt19937_64& random, int least = 0, int most = 0) {
  std::uniform_real_distribution<float> mantissa(1, 2);
  const int e = least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  return std::ldexp(random() % 2 ? mantissa(random) : -mantissa(random), e);
}

/// Numbers whose pieces are as large as they can be.
float adversarial_float(std::mt19937_64& random, const Scheme& s) {
  const int bits = s.split == Split::tf32x3 ? 11 : 8;
  double x = 1;
  const bool cut = s.rounding == Rounding::toward_zero;
  x += cut ? std::ldexp(1.0, 1 - bits) - 0x1p-23 : std::ldexp(1.0, -bits) - 0x1p-22;
  const double jitter = std::ldexp(static_cast<double>(random() % 64), -23);
  return static_cast<float>(x - jitter);
}

class Splits : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Scheme& scheme() const { return schemes[GetParam()]; }
};

TEST_P(Splits, ProductsErrByNoMoreThanTheBoundAndNearlyByThat) {
  const double bound = model_of(arithmetic_of(scheme())).split;
  std::mt19937_64 random(11);
  double worst = 0;
  for (int i = 0; i < 300000; ++i) {
    const bool hard = i % 2;
    const double w = hard ? adversarial_float(random, scheme()) : random_float(random);
    const double x = hard ? adversarial_float(random, scheme()) : random_float(random);
    long double kept = 0;
    for (const double p : kept_products(w, x, scheme())) kept += p;
    const double off = static_cast<double>(std::fabs(kept - static_cast<long double>(w) * x));
    worst = std::max(worst, off / std::fabs(w * x));
  }
  EXPECT_LE(worst, bound);
  EXPECT_LE(scheme().published * u, bound * 1.0000001);
  if (bound > 0) {
    EXPECT_GT(worst, bound / 3);
  } else {
    EXPECT_EQ(scheme().split, Split::bf16x9);
  }
}

TEST_P(Splits, DotProductsOfAnyOrderStayWithinBothBounds) {
  std::mt19937_64 random(5);
  double worst = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const std::size_t n = 1 + random() % 40;
    const int spread = trial % 2 ? 20 : 0;
    std::vector<float> w(n), x(n);
    std::vector<double> terms;
    for (std::size_t i = 0; i < n; ++i) {
      w[i] = random_float(random, -spread, 0);
      x[i] = std::fabs(random_float(random, -spread, 0));
      for (const double p : kept_products(w[i], x[i], scheme())) terms.push_back(p);
    }
    if (trial % 3 == 0) std::sort(terms.begin(), terms.end());
    if (trial % 3 == 1) std::shuffle(terms.begin(), terms.end(), random);
    float sum = 0;
    for (const double t : terms) sum = static_cast<float>(sum + t);
    testing::Bench b;
    make_dot(b, w);
    const OutputBounds y = b.run({x}, arithmetic_of(scheme()));
    const double off = std::fabs(sum - y.reference[0]);
    ASSERT_LE(off, y.sound[0]);
    ASSERT_LE(off, lambda(1) * y.sigma[0]);
    worst = std::max(worst, off / y.sound[0]);
  }
  EXPECT_GT(worst, 0.1);
}

TEST_P(Splits, PiecesThatUnderflowAreLostWithinTheBound) {
  std::mt19937_64 random(5);
  double worst = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<float> w = {random_float(random, -126, -108)};
    const std::vector<float> x = {random_float(random, 0, 20)};
    float sum = 0;
    for (const double p : kept_products(w[0], x[0], scheme())) sum = static_cast<float>(sum + p);
    testing::Bench b;
    make_dot(b, w);
    const OutputBounds y = b.run({x}, arithmetic_of(scheme()));
    const double off = std::fabs(sum - y.reference[0]);
    ASSERT_LE(off, y.sound[0]) << w[0] << ' ' << x[0];
    worst = std::max(worst, off / y.sound[0]);
  }
  EXPECT_GT(worst, 0.05);
}

INSTANTIATE_TEST_SUITE_P(All, Splits, ::testing::Range<std::size_t>(0, schemes.size()));

TEST(Split, NumbersThatFitOnePieceStayExact) {
  testing::Bench b;
  make_dot(b, {1, 2, 3, 100});
  for (const Scheme& s : schemes) {
    const OutputBounds y = b.run({{0.5f, -3, 7, 12}}, arithmetic_of(s));
    EXPECT_EQ(y.judgement[0], Judgement::exact);
    EXPECT_EQ(y.reference[0], 1215.5);
  }
}

class Conversions : public ::testing::TestWithParam<std::tuple<Format, Rounding>> {};

TEST_P(Conversions, OfNumbersInABoxStayWithinHalfWidthOfTheMiddle) {
  Arithmetic a;
  std::tie(a.operand, a.conversion) = GetParam();
  const Model m = model_of(a);
  const Converter convert(m);
  std::mt19937_64 random(3);
  double worst = 0;
  for (int i = 0; i < 40000; ++i) {
    const bool small = i % 4 == 0;
    const float x = random_float(random, small ? -30 : -3, 3);
    const double radius = i % 5 == 0 ? 0 : std::fabs(random_float(random, -34, 2));
    const Converted c = converted(x, radius, convert);
    std::uniform_real_distribution<double> box(x - radius, x + radius);
    for (int k = 0; k < 20; ++k) {
      const double y = radius == 0 ? x : static_cast<float>(box(random));
      if (std::fabs(y - x) > radius) continue;
      const double off = std::fabs(round_to(y, a.operand, a.conversion) - y - (c.value - x));
      ASSERT_LE(off, c.half) << x << ' ' << radius << ' ' << y;
      if (c.half > 0) worst = std::max(worst, off / c.half);
    }
  }
  EXPECT_GT(worst, 0.95);
}

TEST_P(Conversions, OfHiddenLayersStayWithinBothBounds) {
  Arithmetic a;
  std::tie(a.operand, a.conversion) = GetParam();
  std::mt19937_64 random(8);
  std::normal_distribution<float> normal;
  double worst = 0, probable = 0;
  const auto q = [&](float v) { return round_to(v, a.operand, a.conversion); };
  for (int trial = 0; trial < 600; ++trial) {
    const std::uint32_t n = 1 + static_cast<std::uint32_t>(random() % 24);
    std::vector<float> w(n * n), v(n), x(n);
    for (float& f : w) f = normal(random) / std::sqrt(static_cast<float>(n));
    for (float& f : v) f = normal(random);
    for (float& f : x) f = normal(random);
    testing::Bench b;
    const NodeId h = b.network.linear(b.network.input(n), b.parameter(n, n, w));
    b.network.output(b.network.linear(h, b.parameter(1, n, v)));
    const OutputBounds y = b.run({x}, a);
    float out = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      float z = 0;
      for (std::uint32_t j = 0; j < n; ++j) z = static_cast<float>(z + q(w[i * n + j]) * q(x[j]));
      out = static_cast<float>(out + q(v[i]) * q(z));
    }
    const double off = std::fabs(out - y.reference[0]);
    ASSERT_LE(off, y.sound[0]);
    ASSERT_LE(off, lambda(1) * y.sigma[0]);
    worst = std::max(worst, off / y.sound[0]);
    probable = std::max(probable, off / (lambda(1) * y.sigma[0]));
  }
  EXPECT_GT(worst, 0.5);
  EXPECT_GT(probable, 0.2);
}

INSTANTIATE_TEST_SUITE_P(
    All, Conversions,
    ::testing::Combine(::testing::Values(Format::tf32, Format::bf16, Format::fp16),
                       ::testing::Values(Rounding::nearest_even, Rounding::nearest_away,
                                         Rounding::toward_zero)));

TEST(KnownDepth, BoundsAPairwiseSumByItsDepth) {
  std::mt19937_64 random(2);
  std::vector<float> w(4096, 1), x(4096);
  for (float& f : x) f = std::fabs(random_float(random));
  testing::Bench b;
  make_dot(b, w);
  Arithmetic pairwise;
  pairwise.depth = 13;
  const OutputBounds any = b.run({x});
  const double loose = any.sound[0], reference = any.reference[0];
  const OutputBounds y = b.run({x}, pairwise);
  EXPECT_NEAR(y.sound[0], reference * std::expm1(13 * std::log1p(u)), reference * u * 0.01);
  EXPECT_LT(y.sound[0], loose / 200);
  std::vector<float> level = x;
  for (std::size_t n = 2048; n > 0; n /= 2)
    for (std::size_t i = 0; i < n; ++i) level[i] = level[2 * i] + level[2 * i + 1];
  const double off = std::fabs(level[0] - reference);
  EXPECT_GT(off, 0);
  EXPECT_LE(off, y.sound[0]);
  EXPECT_LE(off, lambda(1) * y.sigma[0]);
}

TEST(PartialSums, OfANarrowFormatAreBoundedAsRoundedOnceMore) {
  std::mt19937_64 random(4);
  for (const Format format : {Format::fp16, Format::bf16})
    for (const std::uint32_t parts : {2u, 4u, 16u}) {
      Arithmetic a;
      a.partials = parts;
      a.partial = format;
      double worst = 0;
      for (int trial = 0; trial < 200; ++trial) {
        const std::uint32_t n = parts * (1 + static_cast<std::uint32_t>(random() % 8));
        std::vector<float> w(n), x(n);
        for (float& f : w) f = random_float(random);
        for (float& f : x) f = trial % 2 ? std::fabs(random_float(random)) : random_float(random);
        float sum = 0;
        for (std::uint32_t p = 0; p < parts; ++p) {
          float part = 0;
          for (std::uint32_t i = p * (n / parts); i < (p + 1) * (n / parts); ++i)
            part = std::fma(w[i], x[i], part);
          sum += static_cast<float>(round_to(part, format));
        }
        testing::Bench b;
        make_dot(b, w);
        const OutputBounds y = b.run({x}, a);
        const double off = std::fabs(sum - y.reference[0]);
        ASSERT_LE(off, y.sound[0]);
        ASSERT_LE(off, lambda(1) * y.sigma[0]);
        worst = std::max(worst, off / y.sound[0]);
      }
      EXPECT_GT(worst, 0.1);
    }
}

}  // namespace
}  // namespace ulpfuzz::bounds
