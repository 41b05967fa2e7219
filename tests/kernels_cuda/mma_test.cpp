#include "ulpfuzz/kernels/cuda/mma.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "on_device.hpp"
#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/kernels/matmul_unit.hpp"
#include "ulpfuzz/kernels/operand.hpp"

/// The emulated matmul units and that of the device, bit for bit.
namespace ulpfuzz::kernels {
namespace {

constexpr std::size_t rows = 16, columns = 8, tiles = 500;

struct Tiles {
  cuda::Mma mma;
  std::vector<float> a, b, c;

  std::vector<float> on_device() const {
    std::vector<float> d(c.size());
    cuda::multiply_tiles(mma, c.size() / (rows * columns), a.data(), b.data(), c.data(), d.data());
    return d;
  }
};

float held(double x, Format format) { return static_cast<float>(round_to(x, format)); }

enum class Data { usual, wide, next_to_one, subnormal, special };
constexpr Data all_data[] = {Data::usual, Data::wide, Data::next_to_one, Data::subnormal,
                             Data::special};

// A number for a format; what is added to is c.
double number(std::mt19937& random, Data data, Format format, bool is_sum) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const double usual = std::uniform_real_distribution<double>(-2, 2)(random);
  const bool short_range = format == Format::fp16;
  switch (data) {
    case Data::usual:
      return usual;
    case Data::wide:
      return std::ldexp(usual, below(30) - (short_range ? 15 : 20));
    case Data::next_to_one:  // products at the last bits that units keep of 1
      return is_sum ? (below(2) ? 1 : -1) : std::ldexp(below(3) ? 1 : usual, -11 - below(3));
    case Data::subnormal:
      return std::ldexp(usual, short_range ? -12 - below(13) : -50 - below(100));
    case Data::special: {
      const double some[] = {0, -0.0, INFINITY, -INFINITY, NAN, traits(format).max(), 1};
      return below(40) == 0 ? some[below(7)] : std::ldexp(usual, below(40) - 20);
    }
  }
  return usual;
}

Tiles random_tiles(const cuda::Mma& mma, Data data) {
  std::mt19937 random(static_cast<unsigned>(mma.k) + 100 * static_cast<unsigned>(data));
  Tiles t{mma, std::vector<float>(tiles * rows * mma.k),
          std::vector<float>(tiles * mma.k * columns), std::vector<float>(tiles * rows * columns)};
  for (float& x : t.a) x = held(number(random, data, mma.operand, false), mma.operand);
  for (float& x : t.b) x = held(number(random, data, mma.operand, false), mma.operand);
  for (float& x : t.c) x = held(number(random, data, mma.accumulate, true), mma.accumulate);
  return t;
}

/// One row times one column.
struct Line {
  const float *x, *w;
  Format format;
  double product(std::size_t q) const { return double{x[q]} * w[q * columns]; }
  std::int32_t exponent(std::size_t q) const {
    return alignment(x[q], format) + alignment(w[q * columns], format);
  }
};

float emulated(const Tiles& t, MatmulUnit unit, std::size_t at) {
  const std::size_t tile = at / (rows * columns), i = at / columns % rows, j = at % columns;
  const std::size_t k = t.mma.k;
  const Line line{t.a.data() + (tile * rows + i) * k, t.b.data() + tile * k * columns + j,
                  t.mma.operand};
  double sum = t.c[at];
  for (std::size_t q = 0; q < k; q += unit.block)
    sum = add_block(line, sum, q, std::min<std::size_t>(q + unit.block, k), unit.fraction,
                    UnitRounding<>{t.mma.accumulate == Format::fp16});
  return static_cast<float>(sum);
}

// NaNs are equal, and so are zeros.
std::size_t differences(const Tiles& t, const std::vector<float>& d, MatmulUnit unit) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < d.size(); ++at) {
    const float e = emulated(t, unit, at);
    count += !(d[at] == e || (std::isnan(d[at]) && std::isnan(e)));
  }
  return count;
}

MatmulUnit unit_of(int architecture, Format operand) {
  const bool half = operand != Format::tf32;
  if (architecture >= 90) return half ? matmul_units::hopper_half : matmul_units::hopper_tf32;
  return half ? matmul_units::ampere_half : matmul_units::ampere_tf32;
}

// Which units would give the same.
std::string search(const std::vector<Tiles>& all, const std::vector<std::vector<float>>& d) {
  std::string found;
  for (const unsigned block : {1u, 2u, 4u, 8u, 16u, 32u})
    for (int fraction = 22; fraction <= 27; ++fraction) {
      std::size_t count = 0;
      for (std::size_t i = 0; i < all.size(); ++i)
        count += differences(all[i], d[i], {block, fraction});
      if (count == 0) found += " {" + std::to_string(block) + ", " + std::to_string(fraction) + "}";
    }
  return found.empty() ? " none" : found;
}

class MmaInstructions : public testing_support::OnDevice,
                        public testing::WithParamInterface<cuda::Mma> {};

TEST_P(MmaInstructions, MultiplySmallIntegersExactly) {
  Tiles t = random_tiles(GetParam(), Data::usual);
  std::mt19937 random(1);
  for (auto* v : {&t.a, &t.b, &t.c})
    for (float& x : *v) x = static_cast<float>(random() % 9) - 4;
  const std::vector<float> d = t.on_device();
  for (std::size_t at = 0; at < d.size(); ++at) {
    const std::size_t tile = at / (rows * columns), i = at / columns % rows, k = t.mma.k;
    float sum = t.c[at];
    for (std::size_t q = 0; q < k; ++q)
      sum += t.a[(tile * rows + i) * k + q] * t.b[(tile * k + q) * columns + at % columns];
    ASSERT_EQ(d[at], sum) << "tile " << tile << " row " << i << " column " << at % columns;
  }
}

TEST_P(MmaInstructions, EqualTheEmulatedUnitOfTheDevicesGeneration) {
  const MatmulUnit expected = unit_of(cuda::architecture(), GetParam().operand);
  std::vector<Tiles> all;
  std::vector<std::vector<float>> d;
  std::size_t different = 0;
  for (const Data data : all_data) {
    all.push_back(random_tiles(GetParam(), data));
    d.push_back(all.back().on_device());
    const std::size_t count = differences(all.back(), d.back(), expected);
    EXPECT_EQ(count, 0u) << "of " << d.back().size() << " sums, data " << int(data);
    different += count;
  }
  if (different != 0)
    std::cout << "sm_" << cuda::architecture() << ", " << traits(GetParam().operand).name << " k "
              << GetParam().k << ": units {block, fraction} of the same sums:" << search(all, d)
              << "\n";
}

INSTANTIATE_TEST_SUITE_P(All, MmaInstructions,
                         testing::Values(cuda::Mma{Format::tf32, 4, Format::fp32},
                                         cuda::Mma{Format::tf32, 8, Format::fp32},
                                         cuda::Mma{Format::fp16, 8, Format::fp32},
                                         cuda::Mma{Format::fp16, 16, Format::fp32},
                                         cuda::Mma{Format::bf16, 8, Format::fp32},
                                         cuda::Mma{Format::bf16, 16, Format::fp32},
                                         cuda::Mma{Format::fp16, 8, Format::fp16},
                                         cuda::Mma{Format::fp16, 16, Format::fp16}),
                         [](const auto& i) {
                           return std::string(traits(i.param.operand).name) + "_k" +
                                  std::to_string(i.param.k) + "_" +
                                  std::string(traits(i.param.accumulate).name);
                         });

TEST(Mma, RefusesWhatNoInstructionDoes) {
  float x = 0;
  for (const cuda::Mma& none :
       {cuda::Mma{Format::fp32, 8, Format::fp32}, cuda::Mma{Format::tf32, 16, Format::fp32},
        cuda::Mma{Format::bf16, 8, Format::fp16}, cuda::Mma{Format::fp16, 4, Format::fp32}})
    EXPECT_THROW(cuda::multiply_tiles(none, 0, &x, &x, &x, &x), std::invalid_argument);
}

}  // namespace
}  // namespace ulpfuzz::kernels
