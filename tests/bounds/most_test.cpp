#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bounds/arithmetics.hpp"
#include "bounds/network_support.hpp"
#include "bounds/sums.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

/// `partials` and `depth` are the most that an evaluation may have.
namespace ulpfuzz::bounds {
namespace {

using testing::all_in;
using testing::Bench;
using testing::make_dot;
using testing::matmul_in;
using testing::numbers;

std::vector<Arithmetic> arithmetics() {
  Arithmetic ada = matmul_in(Format::tf32), hopper = matmul_in(Format::bf16), volta = hopper;
  ada.unit = matmul_units::ampere_tf32;
  hopper.unit = matmul_units::hopper_half;
  volta.unit = matmul_units::volta_half;
  return {{}, ada, hopper, volta, testing::split_in(Split::bf16x3), all_in(Format::bf16)};
}

struct Sides {
  double sound, sigma;
};

TEST(Partials, OfASmallerNumberHaveNoLargerBound) {
  std::mt19937_64 random(1);
  for (Arithmetic a : arithmetics())
    for (const Format partial : {Format::fp32, Format::bf16})
      for (const std::size_t n : {2u, 5u, 16u, 61u})
        for (const bool bias : {false, true}) {
          Bench b;
          make_dot(b, numbers(random, n), bias ? numbers(random, 1) : std::vector<float>{});
          const std::vector<float> x = numbers(random, n);
          Sides fewer{0, 0};
          a.partial = partial;
          for (a.partials = 0; a.partials < 20; ++a.partials) {
            const OutputBounds y = b.run({x}, a);
            EXPECT_LE(fewer.sound, y.sound[0]) << a.partials << " of " << n;
            EXPECT_LE(fewer.sigma, y.sigma[0]) << a.partials << " of " << n;
            fewer = {y.sound[0], y.sigma[0]};
          }
        }
}

TEST(Depth, OfASmallerNumberHasNoLargerBound) {
  std::mt19937_64 random(2);
  for (Arithmetic a : arithmetics())
    for (const std::size_t n : {2u, 5u, 16u, 61u}) {
      Bench b;
      make_dot(b, numbers(random, n), numbers(random, 1));
      const std::vector<float> x = numbers(random, n);
      const OutputBounds any = b.run({x}, a);
      const Sides most{any.sound[0], any.sigma[0]};
      Sides less{0, 0};
      for (a.depth = 1; a.depth < 70; ++a.depth) {
        const OutputBounds y = b.run({x}, a);
        EXPECT_LE(less.sound, y.sound[0]) << a.depth << " of " << n;
        EXPECT_LE(less.sigma, y.sigma[0]) << a.depth << " of " << n;
        less = {y.sound[0], y.sigma[0]};
        EXPECT_LE(less.sound, most.sound) << a.depth << " of " << n;
        EXPECT_LE(less.sigma, most.sigma) << a.depth << " of " << n;
      }
    }
}

/// One dot product in parts that begin where `cuts` say, each by the emulator.
float in_partials(const Bench& b, const std::vector<float>& x, const std::vector<std::size_t>& cuts,
                  const Arithmetic& a) {
  Arithmetic one = a;
  one.partials = 0;
  const Emulated part("", {one});
  Caller caller;
  float sum = 0;
  for (std::size_t p = 0; p + 1 < cuts.size(); ++p) {
    std::vector<float> own(x.size(), 0);
    for (std::size_t i = cuts[p]; i < cuts[p + 1]; ++i) own[i] = x[i];
    const float* input = own.data();
    const float y = caller.run(part, b.network, b.parameters, 1, {&input, 1}).values[0][0];
    const double kept = round_to(y, a.partial);
    sum = p == 0 ? static_cast<float>(kept)
                 : static_cast<float>(round_to(double{sum} + kept, a.accumulate));
  }
  return sum;
}

// As stream-K cuts them: where it pleases, and another number of times for each result.
TEST(Partials, MayBeOfAnyLengths) {
  std::mt19937_64 random(3);
  double largest = 0;
  for (Arithmetic a : arithmetics())
    for (const Format partial : {Format::fp32, Format::bf16})
      for (int trial = 0; trial < 60; ++trial) {
        constexpr std::size_t n = 37;
        a.partial = partial;
        a.partials = 6;
        Bench b;
        make_dot(b, numbers(random, n));
        const std::vector<float> x = numbers(random, n);
        const OutputBounds y = b.run({x}, a);
        std::vector<std::size_t> cuts = {0, n};
        for (std::size_t p = random() % a.partials; p > 0; --p) cuts.push_back(random() % n);
        std::sort(cuts.begin(), cuts.end());
        const double off = std::fabs(in_partials(b, x, cuts, a) - y.reference[0]);
        EXPECT_LE(off, y.sound[0]);
        largest = std::max(largest, off / y.sound[0]);
      }
  EXPECT_GT(largest, 0.3);
}

}  // namespace
}  // namespace ulpfuzz::bounds
