#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "../../bounds/general_coefficients.hpp"
#include "bounds/network_support.hpp"
#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::bounds {
namespace {

/// Blocks of exact products are aligned, cut, added exactly, and cut to fp32: bit for bit, in
/// doubles, which hold all of it. Exponents of products are those of their factors together, or
/// their own.
struct Unit {
  MatmulUnit how;
  bool own_exponents = false;
  int least = -126;  // exponent of subnormal factors

  static int exponent(double x, int least = -126) {
    return x == 0 ? -10000 : std::max(std::ilogb(x), least);
  }

  double block(double sum, const double* a, const double* b, std::size_t n) const {
    int top = exponent(sum);
    for (std::size_t i = 0; i < n; ++i) {
      const double t = a[i] * b[i];
      if (t != 0)
        top = std::max(top,
                       own_exponents ? exponent(t) : exponent(a[i], least) + exponent(b[i], least));
    }
    const double unit = std::ldexp(1.0, top - how.fraction);
    double total = std::trunc(sum / unit);
    for (std::size_t i = 0; i < n; ++i) total += std::trunc(a[i] * b[i] / unit);
    return round_to(total * unit, Format::fp32, Rounding::toward_zero);
  }

  double dot(const std::vector<float>& a, const std::vector<float>& b, double start = 0) const {
    const std::vector<double> x(a.begin(), a.end()), y(b.begin(), b.end());
    double sum = start;
    for (std::size_t i = 0; i < a.size(); i += how.block)
      sum = block(sum, &x[i], &y[i], std::min<std::size_t>(how.block, a.size() - i));
    return sum;
  }
};

struct Generation {
  const char* name;
  MatmulUnit unit;
  Format operand;
};
const std::vector<Generation> generations = {
    {"volta", matmul_units::volta_half, Format::fp16},
    {"ampere", matmul_units::ampere_tf32, Format::tf32},
    {"ampere half", matmul_units::ampere_half, Format::bf16},
    {"hopper", matmul_units::hopper_tf32, Format::tf32},
    {"hopper half", matmul_units::hopper_half, Format::fp16},
    {"narrow", {32, 13}, Format::bf16}};

using Draw = std::function<double(std::mt19937_64&, std::size_t)>;

double uniform(std::mt19937_64& r, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(r);
}

std::vector<float> drawn(std::mt19937_64& random, std::size_t n, Format format, const Draw& draw) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(round_to(draw(random, i), format));
  return v;
}

Arithmetic unit_arithmetic(const Generation& g) {
  Arithmetic a;
  a.operand = g.operand;
  a.unit = g.unit;
  return a;
}

TEST(MatmulUnit, TermsThatAreNeverCutSaveRoundings) {
  for (const Generation& g : generations)
    for (const double n : {2.0, 10.0, 64.0, 4096.0}) {
      if (g.unit.fraction < 23) continue;
      const double blocks = std::ceil(n / g.unit.block);
      EXPECT_LT(unit_roundings(g.unit, true, n, blocks, true),
                unit_roundings(g.unit, false, n, blocks, true));
    }
  EXPECT_EQ(unit_roundings({4, 24}, true, 2, 1, true), 3);
  EXPECT_EQ(unit_roundings({4, 24}, true, 10, 3, true), 13);
  EXPECT_EQ(unit_roundings({4, 24}, true, 1, 1, false), 0);
}

TEST(MatmulUnit, ZerosSpreadTheProductsOverAllBlocks) {
  const Model m = model_of(unit_arithmetic({"", {4, 24}, Format::tf32}));
  EXPECT_EQ(general_coefficients(m, {.width = 10, .terms = 10, .bias = true}).unit_binade,
            13 * 0x1p-24);
  EXPECT_EQ(general_coefficients(m, {.width = 40, .terms = 10, .bias = true}).unit_binade,
            20 * 0x1p-24);
}

TEST(MatmulUnit, EmulationShowsTheProbesOfItsFraction) {
  const auto probe = [](int fraction, double p) {
    const Unit unit{{4, fraction}};
    const std::vector<float> small(4, static_cast<float>(p)), ones(4, 1);
    return unit.dot(small, ones, 1);
  };
  EXPECT_EQ(probe(24, 0x1p-24), 1 + 0x1p-22);
  EXPECT_EQ(probe(23, 0x1p-24), 1);
  EXPECT_EQ(probe(24, 0x1p-25), 1);
  EXPECT_EQ(probe(25, 0x1p-25), 1 + 0x1p-23);
  const Unit one{{1, 24}};
  EXPECT_EQ(one.dot({0x1p-23f, -0x1p-24f}, {1, 1}, 1), 1);
}

struct Shares {
  double sound = 0, probable = 0;
};

/// Largest shares of both bounds that exact emulation takes, with random data of all orders.
Shares shares(const Generation& g, std::size_t n, std::size_t trials, const Draw& draw,
              bool bias = false) {
  Shares worst;
  std::mt19937_64 random(n);
  for (std::size_t trial = 0; trial < trials; ++trial) {
    std::vector<float> w = drawn(random, n, g.operand, draw);
    std::vector<float> x =
        drawn(random, n, g.operand, [](auto& r, std::size_t) { return uniform(r, 0.5, 1.5); });
    if (trial % 3 == 1) std::sort(w.begin(), w.end());
    if (trial % 3 == 2) std::sort(w.rbegin(), w.rend());
    const float b = static_cast<float>(uniform(random, -2, 2));
    testing::Bench bench;
    make_dot(bench, w, bias ? std::vector<float>{b} : std::vector<float>{});
    const OutputBounds y = bench.run({x}, unit_arithmetic(g));
    for (const bool own : {false, true})
      for (const bool first : {false, true}) {
        const Unit unit{g.unit, own};
        double sum = unit.dot(w, x, bias && first ? b : 0);
        if (bias && !first) sum = round_to(sum + b, Format::fp32);
        const double off = std::fabs(sum - y.reference[0]);
        worst.sound = std::max(worst.sound, off / y.sound[0]);
        worst.probable = std::max(worst.probable, off / (lambda(1) * y.sigma[0]));
      }
  }
  return worst;
}

class Units : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Generation& generation() const { return generations[GetParam()]; }
};

TEST_P(Units, BoundsHoldForPositiveDataThoughTruncationIsBiased) {
  for (const std::size_t n : {2u, 3u, 10u, 33u, 100u, 1000u, 4096u}) {
    const Shares s = shares(generation(), n, n > 500 ? 6 : 60,
                            [](auto& r, std::size_t) { return uniform(r, 0, 1); });
    EXPECT_LE(s.sound, 1) << n;
    EXPECT_LE(s.probable, 1) << n;
    EXPECT_GT(s.sound, n >= 33 ? 0.03 : -1) << n;
  }
}

TEST_P(Units, BoundsHoldForDataOfBothSignsAndABiasInEitherPlace) {
  for (const std::size_t n : {1u, 2u, 5u, 16u, 100u, 1024u}) {
    const Shares s = shares(
        generation(), n, n > 500 ? 6 : 60, [](auto& r, std::size_t) { return uniform(r, -1, 1); },
        true);
    EXPECT_LE(s.sound, 1) << n;
    EXPECT_LE(s.probable, 1) << n;
    EXPECT_GT(s.sound, 0) << n;
  }
}

TEST_P(Units, BoundsHoldForTermsOfAllMagnitudes) {
  const Draw draw = [](auto& r, std::size_t) {
    return std::ldexp(uniform(r, -1, 1), static_cast<int>(r() % 30) - (r() % 2 ? 25 : 0));
  };
  Generation g = generation();
  for (const std::size_t n : {3u, 12u, 100u}) {
    if (g.operand == Format::fp16) g.operand = Format::bf16;
    const Shares s = shares(g, n, 200, draw);
    EXPECT_LE(s.sound, 1) << n;
    EXPECT_LE(s.probable, 1) << n;
  }
}

TEST_P(Units, BoundsHoldWhereZerosSpreadTheTermsOverTheBlocks) {
  const Draw draw = [](auto& r, std::size_t i) { return i % 7 == 3 ? uniform(r, 0, 1) : 0; };
  const Shares s = shares(generation(), 700, 20, draw);
  EXPECT_LE(s.sound, 1);
  EXPECT_LE(s.probable, 1);
}

TEST_P(Units, BoundsHoldWhereEveryTermIsLost) {
  // Terms just below the last bit that the unit keeps of 1.
  const Generation& g = generation();
  const double most = 2 - 2 * traits(g.operand).unit_roundoff();
  const int least = g.operand == Format::fp16 ? -14 : -126;
  for (const std::size_t n : {9u, 65u, 4097u}) {
    std::vector<float> w(n, static_cast<float>(std::ldexp(most, -g.unit.fraction / 2 - 1)));
    std::vector<float> x(n, static_cast<float>(std::ldexp(1, -(g.unit.fraction + 1) / 2)));
    ASSERT_GE(-(g.unit.fraction + 1) / 2, least);
    w[0] = x[0] = 1;
    testing::Bench bench;
    make_dot(bench, w);
    const OutputBounds y = bench.run({x}, unit_arithmetic(g));
    const double off = std::fabs(Unit{g.unit}.dot(w, x) - y.reference[0]);
    EXPECT_LE(off, y.sound[0]) << n;
    EXPECT_LE(off, lambda(1) * y.sigma[0]) << n;
    EXPECT_GE(off, g.unit.fraction >= 23 ? y.sound[0] / 4 : 0) << n;
  }
}

TEST_P(Units, BoundsHoldAmongSubnormals) {
  Generation g = generation();
  if (g.operand == Format::fp16) g.operand = Format::bf16;  // fp16 products cannot be that small
  for (int scale = -64; scale > -78; scale -= 2) {
    const Draw draw = [&](auto& r, std::size_t) { return std::ldexp(uniform(r, -1, 1), scale); };
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 50; ++trial) {
      const std::vector<float> w = drawn(random, 6, g.operand, draw);
      const std::vector<float> x = drawn(random, 6, g.operand, draw);
      testing::Bench bench;
      make_dot(bench, w);
      const OutputBounds y = bench.run({x}, unit_arithmetic(g));
      ASSERT_LE(std::fabs(Unit{g.unit}.dot(w, x) - y.reference[0]), y.sound[0]);
    }
  }
}

// The subnormal's product is aligned like 2^-14, and cuts from the others what lies below that.
TEST(MatmulUnit, BoundsHoldBesideSubnormalFactorsOfFp16) {
  // (2^10 + 1)(2^10 + 511) is 511 modulo 512.
  const float small = 0x1p-24f * 1025, large = 0x1p-22f * 1535;
  for (const Generation& g : {generations[0], generations[4]}) {
    std::vector<float> w(g.unit.block, small), x(g.unit.block, large);
    w[0] = 0x1p-24f;
    x[0] = 1;
    testing::Bench bench;
    make_dot(bench, w);
    const OutputBounds y = bench.run({x}, unit_arithmetic(g));
    const double off = std::fabs(Unit{g.unit, false, -14}.dot(w, x) - y.reference[0]);
    EXPECT_LE(off, y.sound[0]) << g.name;
    EXPECT_LE(off, lambda(1) * y.sigma[0]) << g.name;
    EXPECT_GE(off, y.sound[0] / 4) << g.name;
  }
}

TEST_P(Units, BoundsHoldForSplitSumsThatAreMergedInFp32) {
  const Generation& g = generation();
  Arithmetic a = unit_arithmetic(g);
  a.partials = 3;
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t part = 1 + random() % 40;
    std::vector<float> w, x;
    double sum = 0;
    for (int p = 0; p < 3; ++p) {
      const Draw draw = [&](auto& r, std::size_t) { return uniform(r, trial % 2 ? -1 : 0, 1); };
      const std::vector<float> wp = drawn(random, part, g.operand, draw);
      const std::vector<float> xp = drawn(random, part, g.operand, draw);
      sum = round_to(sum + Unit{g.unit}.dot(wp, xp), Format::fp32);
      w.insert(w.end(), wp.begin(), wp.end());
      x.insert(x.end(), xp.begin(), xp.end());
    }
    testing::Bench bench;
    make_dot(bench, w);
    const OutputBounds y = bench.run({x}, a);
    ASSERT_LE(std::fabs(sum - y.reference[0]), y.sound[0]);
    ASSERT_LE(std::fabs(sum - y.reference[0]), lambda(1) * y.sigma[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Units, ::testing::Range<std::size_t>(0, generations.size()));

TEST(MatmulUnit, SmallIntegersStayExact) {
  testing::Bench b;
  make_dot(b, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const OutputBounds y = b.run({{9, 8, 7, -6, 5, 4, 3, 2, 1}}, unit_arithmetic(generations[1]));
  EXPECT_EQ(y.judgement[0], Judgement::exact);
  EXPECT_EQ(y.reference[0], 117);
}

TEST(MatmulUnit, SumsWithoutProductsDoNotUseIt) {
  testing::Bench b;
  const NodeId x = b.network.input(Shape{40, 1});
  b.network.output(b.network.sum_rows(x));
  std::mt19937_64 random(1);
  const std::vector<float> v =
      drawn(random, 40, Format::fp32, [](auto& r, std::size_t) { return uniform(r, -1, 1); });
  const double plain = b.run(1, {v}).sound[0];
  EXPECT_EQ(b.run(1, {v}, unit_arithmetic(generations[1])).sound[0], plain);
  EXPECT_GT(plain, 0);
}

}  // namespace
}  // namespace ulpfuzz::bounds
