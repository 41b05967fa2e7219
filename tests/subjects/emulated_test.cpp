#include "ulpfuzz/subjects/emulated.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "subjects/naive_emulation.hpp"
#include "subjects/trials.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz {
namespace {

using Order = Summation::Order;

constexpr Order orders[] = {Order::sequential, Order::reversed, Order::pairwise, Order::lanes};
constexpr Format all_formats[] = {Format::fp64, Format::fp32, Format::tf32, Format::bf16,
                                  Format::fp16};
constexpr Rounding all_roundings[] = {Rounding::nearest_even, Rounding::nearest_away,
                                      Rounding::toward_zero};

// Numbers of size 1, of all sizes that leave most products finite, and special ones.
enum class Data { usual, wide, special };

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  template <class T, std::size_t N>
  T pick(const T (&list)[N]) {
    return list[below(N)];
  }
  float number(Data data) {
    using Limits = std::numeric_limits<float>;
    static constexpr float specials[] = {0.0f,
                                         -0.0f,
                                         Limits::denorm_min(),
                                         -0x1.8p-130f,
                                         Limits::min(),
                                         65504.0f,
                                         65520.0f,
                                         Limits::max(),
                                         -Limits::infinity(),
                                         Limits::infinity(),
                                         Limits::quiet_NaN(),
                                         0x1p-24f,
                                         0x1.ffep-15f,
                                         1.0f,
                                         -1.0f,
                                         0x1.004p0f};
    const float usual = std::uniform_real_distribution<float>(-1.25f, 1.25f)(engine_);
    if (data == Data::usual) return usual;
    if (data == Data::special && below(4) == 0) return pick(specials);
    const int least = data == Data::special || below(4) == 0 ? -149 : -24;
    return std::ldexp(usual, std::uniform_int_distribution<int>(least, 40)(engine_));
  }
  std::vector<float> numbers(std::size_t n, Data data) {
    std::vector<float> v(n);
    for (float& x : v) x = number(data);
    return v;
  }
  Summation summation() {
    Summation s{.order = pick(orders), .lanes = static_cast<std::uint32_t>(1 + below(9))};
    s.fused = below(2) == 0;
    s.bias_first = below(2) == 0;
    return s;
  }

 private:
  std::mt19937 engine_;
};

// Compares one linear node with the naive emulation, element by element; how many were no NaN.
std::size_t compare_emulated(Draw& draw, const Arithmetic& a, const Summation& s, Data data) {
  const std::size_t k = draw.below(24), n = 1 + draw.below(11), rows = 1 + draw.below(3);
  Network network;
  const NodeId x = network.input(static_cast<std::uint32_t>(k));
  const NodeId w = network.parameter(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k));
  const bool biased = draw.below(3) > 0;
  network.output(biased ? network.linear(x, w, network.parameter(1, static_cast<std::uint32_t>(n)))
                        : network.linear(x, w));
  trials::Trial trial(network, rows, 1);
  trial.inputs[0].data = draw.numbers(rows * k, data);
  for (Tensor& p : trial.parameters) p.data = draw.numbers(p.data.size(), data);

  const std::vector<float> got = trial.run(Emulated("", {.arithmetic = a, .summation = s}))[0];
  naive_emulation::Dot dot(a, s);
  std::size_t numbers = 0;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t j = 0; j < n; ++j) {
      const auto row = [k](const std::vector<float>& from, std::size_t i) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(i * k);
        return std::vector<float>(at, at + static_cast<std::ptrdiff_t>(k));
      };
      const float expected = dot(row(trial.inputs[0].data, r), row(trial.parameters[0].data, j),
                                 biased ? &trial.parameters[1].data[j] : nullptr, true);
      EXPECT_TRUE(same_bits(got[r * n + j], expected) ||
                  (std::isnan(got[r * n + j]) && std::isnan(expected)))
          << std::hexfloat << got[r * n + j] << " for " << expected << ", k " << k << " element "
          << r << "," << j;
      numbers += !std::isnan(expected);
    }
  return numbers;
}

// Many of them, of all three kinds of data; stops at the first that differs.
template <class Arithmetics>
void compare_many(unsigned seed, std::size_t count, const Arithmetics& arithmetic) {
  Draw draw(seed);
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Arithmetic a = arithmetic(draw);
    const Summation s = draw.summation();
    const auto data = static_cast<Data>(i % 3);
    SCOPED_TRACE(testing::Message()
                 << "case " << i << " order " << int(s.order) << " lanes " << s.lanes << " fused "
                 << s.fused << " bias first " << s.bias_first << " operand " << int(a.operand)
                 << " conversion " << int(a.conversion) << " split " << int(a.split)
                 << " accumulate " << int(a.accumulate) << " unit " << a.unit.block << ","
                 << a.unit.fraction << " partials " << a.partials << " of " << int(a.partial)
                 << " flushes " << a.flushes_subnormals);
    numbers += compare_emulated(draw, a, s, data);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(numbers, count * 5);
}

Arithmetic operands(Draw& draw) {
  Arithmetic a;
  a.operand = draw.pick(all_formats);
  a.conversion = draw.pick(all_roundings);
  return a;
}

MatmulUnit any_unit(Draw& draw) {
  static constexpr MatmulUnit units[] = {{4, 23},  {8, 24}, {4, 24}, {8, 25},
                                         {16, 25}, {1, 13}, {32, 28}};
  return draw.pick(units);
}

Split any_split(Draw& draw) {
  static constexpr Split splits[] = {Split::bf16x3, Split::bf16x6, Split::bf16x9, Split::tf32x3};
  return draw.pick(splits);
}

TEST(Emulated, IsTheNaiveEmulationInEveryOrder) {
  compare_many(1, 1500, [](Draw&) { return Arithmetic{}; });
}

TEST(Emulated, IsTheNaiveEmulationInEveryOperandFormatAndConversion) {
  compare_many(2, 1500, operands);
}

TEST(Emulated, IsTheNaiveEmulationInMatmulUnits) {
  compare_many(3, 3000, [](Draw& draw) {
    Arithmetic a = operands(draw);
    a.unit = any_unit(draw);
    return a;
  });
}

TEST(Emulated, IsTheNaiveEmulationWithSplitOperands) {
  compare_many(4, 2000, [](Draw& draw) {
    Arithmetic a = operands(draw);
    a.split = any_split(draw);
    if (draw.below(2) == 0) a.unit = any_unit(draw);
    return a;
  });
}

TEST(Emulated, IsTheNaiveEmulationInNarrowAndWideAccumulators) {
  compare_many(5, 2000, [](Draw& draw) {
    Arithmetic a = operands(draw);
    a.accumulate = draw.pick(all_formats);
    return a;
  });
}

TEST(Emulated, IsTheNaiveEmulationWithPartialSums) {
  compare_many(6, 2000, [](Draw& draw) {
    Arithmetic a;
    a.partials = static_cast<std::uint32_t>(draw.below(7));
    a.partial = draw.pick(all_formats);
    a.accumulate = draw.below(2) == 0 ? Format::fp32 : draw.pick(all_formats);
    return a;
  });
}

TEST(Emulated, IsTheNaiveEmulationWithSubnormalsFlushed) {
  compare_many(7, 2000, [](Draw& draw) {
    Arithmetic a = operands(draw);
    a.flushes_subnormals = true;
    a.accumulate = draw.below(2) == 0 ? Format::fp32 : draw.pick(all_formats);
    return a;
  });
}

TEST(Emulated, IsTheNaiveEmulationInEverythingAtOnce) {
  compare_many(8, 4000, [](Draw& draw) {
    Arithmetic a = operands(draw);
    a.accumulate = draw.pick(all_formats);
    a.partials = static_cast<std::uint32_t>(draw.below(4));
    a.partial = draw.pick(all_formats);
    if (draw.below(2) == 0) a.unit = any_unit(draw);
    if (draw.below(2) == 0) a.split = any_split(draw);
    a.flushes_subnormals = draw.below(2) == 0;
    return a;
  });
}

}  // namespace
}  // namespace ulpfuzz
