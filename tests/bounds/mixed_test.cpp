#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bounds/arithmetics.hpp"
#include "bounds/network_support.hpp"
#include "bounds/sums.hpp"
#include "ulpfuzz/network/derivatives.hpp"

/// Arithmetic::mixed on single products: the larger of both bounds, tier by tier.
namespace ulpfuzz::bounds {
namespace {

using testing::all_in;
using testing::Bench;
using testing::flushing;
using testing::kept_in;
using testing::make_dot;
using testing::matmul_in;
using testing::numbers;
using testing::split_in;
using testing::stored_in;
using testing::without_outer;

Arithmetic mixed(Arithmetic a) {
  a.mixed = true;
  return a;
}
Arithmetic with_unit(Arithmetic a, MatmulUnit unit) {
  a.unit = unit;
  return a;
}
Arithmetic in_parts(Arithmetic a, Format partial) {
  a.partials = 4;
  a.partial = partial;
  return a;
}
Arithmetic sums_in(Format format) {
  Arithmetic a = all_in(format);
  a.store = Format::fp32;
  return a;
}
Arithmetic with_depth(Arithmetic a) {
  a.depth = 8;
  return a;
}

std::vector<Arithmetic> stated() {
  return {matmul_in(Format::tf32),
          matmul_in(Format::tf32, Rounding::toward_zero),
          with_unit(matmul_in(Format::tf32, Rounding::nearest_away), matmul_units::ampere_tf32),
          with_unit(matmul_in(Format::tf32), matmul_units::hopper_tf32),
          with_unit(matmul_in(Format::fp16), matmul_units::volta_half),
          split_in(Split::bf16x3),
          split_in(Split::bf16x6),
          split_in(Split::bf16x9),
          in_parts({}, Format::bf16),
          in_parts(matmul_in(Format::bf16), Format::fp32),
          with_depth({}),
          with_depth(matmul_in(Format::tf32)),
          sums_in(Format::bf16),
          flushing(matmul_in(Format::tf32)),
          without_outer(matmul_in(Format::tf32)),
          without_outer(sums_in(Format::fp16))};
}

/// Copies: those of an analysis are gone with the next.
struct Bounds {
  std::vector<double> reference, sound, sigma, local, typical;
  std::vector<Judgement> judgement;

  Bounds(Analysis& analysis, std::size_t output) {
    const auto typically = analysis.typical(output);
    typical.assign(typically.begin(), typically.end());
    const OutputBounds b = analysis.output(output);
    const auto copy = [](auto from, auto& to) { to.assign(from.begin(), from.end()); };
    copy(b.reference, reference);
    copy(b.sound, sound);
    copy(b.sigma, sigma);
    copy(b.local, local);
    copy(b.judgement, judgement);
  }
};

/// linear with bias, matmul of two inputs, an outer product and a sum of outer products.
void every_product(Bench& b, std::mt19937_64& random) {
  Network& n = b.network;
  const NodeId x = n.input(Shape{1, 9}), g = n.input(Shape{1, 3}), z = n.input(Shape{3, 9});
  const NodeId w = b.parameter(5, 9, numbers(random, 45));
  n.output(n.linear(x, w, b.parameter(1, 5, numbers(random, 5))));
  n.output(n.matmul(x, z, false, true));
  n.output(n.matmul(g, x, true, false));
  n.output(n.outer_sum(g, x));
}

TEST(Mixed, IsTheLargerOfBothForASingleProduct) {
  std::mt19937_64 random(5);
  std::size_t larger_stated = 0, larger_plain = 0;
  const std::vector<Arithmetic> arithmetics = stated();
  for (std::size_t k = 0; k < arithmetics.size(); ++k) {
    const Arithmetic& a = arithmetics[k];
    SCOPED_TRACE("arithmetic " + std::to_string(k));
    Bench b;
    every_product(b, random);
    const std::vector<std::vector<float>> inputs = {numbers(random, 36), numbers(random, 12),
                                                    numbers(random, 108)};
    const auto bounds = [&](const Arithmetic& arithmetic) {
      std::vector<Bounds> all;
      b.run(inputs, arithmetic);
      for (std::size_t o = 0; o < 4; ++o) all.emplace_back(b.analysis, o);
      return all;
    };
    const auto one = bounds(a), other = bounds(plain_products(a)), both = bounds(mixed(a));
    for (std::size_t o = 0; o < 4; ++o)
      for (std::size_t i = 0; i < both[o].sound.size(); ++i) {
        EXPECT_EQ(both[o].reference[i], one[o].reference[i]);
        if (o == 3) {  // rows may differ: see below
          EXPECT_GE(both[o].sound[i], one[o].sound[i] + other[o].local[i]);
          continue;
        }
        EXPECT_EQ(both[o].sound[i], std::max(one[o].sound[i], other[o].sound[i]));
        EXPECT_EQ(both[o].local[i], std::max(one[o].local[i], other[o].local[i]));
        EXPECT_EQ(both[o].sigma[i], std::max(one[o].sigma[i], other[o].sigma[i]));
        EXPECT_EQ(both[o].typical[i], std::max(one[o].typical[i], other[o].typical[i]));
        larger_stated += one[o].sound[i] > other[o].sound[i];
        larger_plain += one[o].sound[i] < other[o].sound[i];
      }
  }
  EXPECT_GT(larger_stated, 1000u);
  EXPECT_GT(larger_plain, 20u);
}

double rounded_to_tf32(float x) {
  const int exponent = std::ilogb(x) - 10;
  return std::ldexp(std::round(std::ldexp(double{x}, -exponent)), exponent);
}

// Micro-batches of a sum over rows are products of their own: some may be converted, others not.
TEST(Mixed, CoversSumsOverRowsOfWhichAnyAreConverted) {
  std::mt19937_64 random(8);
  const std::size_t rows = 7;
  std::size_t beyond_both = 0;
  const Arithmetic tf32 = matmul_in(Format::tf32, Rounding::nearest_away);
  for (int trial = 0; trial < 50; ++trial) {
    Bench b;
    b.network.output(b.network.outer_sum(b.network.input(1), b.network.input(1)));
    const std::vector<float> g = numbers(random, rows), x = numbers(random, rows);
    const auto sound = [&](const Arithmetic& a) { return b.run({g, x}, a).sound[0]; };
    const double most = sound(mixed(tf32)), either = std::max(sound(tf32), sound({}));
    for (unsigned set = 0; set < 1u << rows; ++set) {
      double change = 0;
      for (std::size_t r = 0; r < rows; ++r)
        if (set >> r & 1)
          change += rounded_to_tf32(g[r]) * rounded_to_tf32(x[r]) - double{g[r]} * double{x[r]};
      ASSERT_LE(std::abs(change), most);
      beyond_both += std::abs(change) > either;
    }
  }
  EXPECT_GT(beyond_both, 1000u);
}

TEST(Mixed, OfPlainFp32IsPlainFp32) {
  std::mt19937_64 random(6);
  Bench b;
  every_product(b, random);
  const std::vector<std::vector<float>> inputs = {numbers(random, 9), numbers(random, 3),
                                                  numbers(random, 27)};
  for (const Arithmetic& a : {Arithmetic{}, flushing(), in_parts({}, Format::fp32)}) {
    b.run(inputs, a);
    const Bounds plain(b.analysis, 3);
    b.run(inputs, mixed(a));
    EXPECT_EQ(Bounds(b.analysis, 3).sound, plain.sound);
  }
  // Outer products that nobody has asked for keep their two factors.
  b.run(inputs, mixed(without_outer(matmul_in(Format::tf32))));
  EXPECT_TRUE(b.analysis.outer(2, 0).has_value());
  b.run(inputs, mixed(matmul_in(Format::tf32)));
  EXPECT_FALSE(b.analysis.outer(2, 0).has_value());
}

// 1 + 63 products of 2^-24, all of them exact, also of TF32 operands: left to right fp32 rounds
// each to nothing. A unit of 25 fractional bits loses less, and its bound says so.
TEST(Mixed, AllowsFp32SumsThatAUnitOfTf32WouldNot) {
  std::vector<float> w(64, 0x1p-12f);
  w[0] = 1;
  Bench b;
  make_dot(b, w);
  const Arithmetic hopper = with_unit(matmul_in(Format::tf32), matmul_units::hopper_tf32);
  const double exact = 1 + 63 * 0x1p-24;
  const auto sound = [&](const Arithmetic& a) {
    const OutputBounds y = b.run({w}, a);
    EXPECT_EQ(y.reference[0], exact);
    EXPECT_EQ(y.judgement[0], Judgement::usable);
    return y.sound[0];
  };
  float sum = 0;
  for (const float x : w) sum += x * x;
  EXPECT_EQ(sum, 1);
  EXPECT_GT(exact - sum, sound(hopper));
  EXPECT_LE(exact - sum, sound(mixed(hopper)));
  EXPECT_EQ(sound(mixed(hopper)), sound({}));
}

TEST(Mixed, IsExactWhereBothAre) {
  const auto judged = [](std::vector<float> w, const Arithmetic& a) {
    Bench b;
    make_dot(b, w);
    return b.run({w}, a).judgement[0];
  };
  const Arithmetic tf32 = matmul_in(Format::tf32);
  EXPECT_EQ(judged({1, 2, 3}, mixed(tf32)), Judgement::exact);
  // 2049 does not fit TF32; the square of 4097 does not fit fp32, but fp64.
  EXPECT_EQ(judged({2049, 2}, {}), Judgement::exact);
  EXPECT_EQ(judged({2049, 2}, tf32), Judgement::usable);
  EXPECT_EQ(judged({2049, 2}, mixed(tf32)), Judgement::usable);
  EXPECT_EQ(judged({4097, 2}, all_in(Format::fp64)), Judgement::exact);
  EXPECT_EQ(judged({4097, 2}, mixed(all_in(Format::fp64))), Judgement::usable);
}

TEST(Mixed, KnowsTheRangesOfBoth) {
  const auto judged = [](const std::vector<float>& w, const Arithmetic& a) {
    Bench b;
    make_dot(b, w);
    return b.run({w}, a).judgement[0];
  };
  const Arithmetic fp16 = matmul_in(Format::fp16);
  EXPECT_EQ(judged({70000, 1.1f}, {}), Judgement::usable);
  EXPECT_EQ(judged({70000, 1.1f}, fp16), Judgement::no_bound);
  EXPECT_EQ(judged({70000, 1.1f}, mixed(fp16)), Judgement::no_bound);
  const Arithmetic narrow_sums = all_in(Format::fp16);
  EXPECT_EQ(judged({255.9f, 0.3f}, narrow_sums), Judgement::range);
  EXPECT_EQ(judged({255.9f, 0.3f}, mixed(narrow_sums)), Judgement::range);
  // Infinite in both; in fp32 alone; NaN in both.
  EXPECT_EQ(judged({1e20f, 1}, mixed(in_parts({}, Format::bf16))), Judgement::nonfinite);
  EXPECT_EQ(judged({1e20f, 1}, all_in(Format::fp64)), Judgement::usable);
  EXPECT_EQ(judged({1e20f, 1}, mixed(all_in(Format::fp64))), Judgement::no_bound);
  EXPECT_EQ(judged({std::nanf(""), 1}, mixed(in_parts({}, Format::bf16))), Judgement::nonfinite);
}

// Results of fp32 sums do not fit a narrower format, whatever the stated sums leave.
TEST(Mixed, RoundsResultsThatAreStoredAsThoseOfFp32) {
  Bench b;
  make_dot(b, {1.1f, 2.3f, -0.7f});
  const std::vector<float> x = {0.3f, 0.9f, 1.7f};
  const auto sound = [&](const Arithmetic& a) { return b.run({x}, a).sound[0]; };
  EXPECT_GT(sound(mixed(all_in(Format::bf16))), sound(mixed(sums_in(Format::bf16))));
  EXPECT_GE(sound(mixed(kept_in(Format::bf16, matmul_in(Format::bf16)))),
            sound(kept_in(Format::bf16, matmul_in(Format::bf16))));
}

TEST(Mixed, IsBoundedWithoutConditions) {
  std::mt19937_64 random(7);
  Bench b;
  const NodeId x = b.network.input(8);
  const NodeId h = b.network.linear(x, b.parameter(8, 8, numbers(random, 64)));
  b.network.output(b.network.linear(h, b.parameter(3, 8, numbers(random, 24))));
  const std::vector<float> input = numbers(random, 16);
  const std::vector<const float*> inputs = {input.data()};
  for (const Arithmetic& a :
       {matmul_in(Format::tf32), split_in(Split::bf16x3),
        kept_in(Format::bf16, matmul_in(Format::bf16)), stored_in(Format::fp16)}) {
    const auto run = [&](const Arithmetic& arithmetic, bool conditional) {
      b.analysis.run(b.network, b.parameters, 2, inputs, arithmetic, {},
                     {.matrix_adjoint = true, .conditional = conditional});
      return Bounds(b.analysis, 0);
    };
    const Bounds with = run(mixed(a), true), without = run(mixed(a), false);
    EXPECT_EQ(with.reference, without.reference);
    EXPECT_EQ(with.sound, without.sound);
    EXPECT_EQ(with.sigma, without.sigma);
    EXPECT_EQ(with.typical, without.typical);
    EXPECT_NE(run(a, true).sound, run(a, false).sound);
  }
}

}  // namespace
}  // namespace ulpfuzz::bounds
