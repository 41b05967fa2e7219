#include <gtest/gtest.h>

#include <cmath>

#include "../../bounds/typical_dot.hpp"
#include "bounds/arithmetics.hpp"
#include "bounds/emulator.hpp"
#include "bounds/mlp.hpp"
#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Emulator;
using testing::kept_in;
using testing::matmul_in;
using testing::Mlp;

struct Sample {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<std::vector<float>> inputs;
};

Sample dots(std::uint32_t n, bool positive, std::uint64_t seed) {
  constexpr std::uint32_t rows = 8;
  std::mt19937_64 random(seed * 7919 + n);
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> weight(rows * n), x(n);
  for (float& w : weight) w = positive ? std::fabs(uniform(random)) : uniform(random);
  for (float& v : x) v = positive ? std::fabs(normal(random)) : normal(random);
  Sample s;
  const NodeId input = s.network.input(n);
  s.parameters.emplace_back(rows, n, std::move(weight));
  s.network.output(s.network.linear(input, s.network.parameter(rows, n)));
  s.inputs.push_back(std::move(x));
  return s;
}

Sample perceptron(std::uint32_t width, Op op, std::uint64_t seed) {
  const Mlp m({width, width, width, 4}, seed, op);
  return {m.network, m.parameters, {m.input}};
}

Sample gradients(std::uint32_t width, Op op, std::uint64_t seed) {
  Sample s = perceptron(width, op, seed);
  s.network = vjp(s.network);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  s.inputs.emplace_back();
  for (int i = 0; i < 4; ++i) s.inputs.back().push_back(normal(random));
  return s;
}

// Root mean square of error over sigma, all outputs of `samples` networks, left to right.
template <class Make>
double ratio(int samples, const Arithmetic& a, const Make& make, AnalysisOptions options = {}) {
  double sum = 0;
  std::size_t count = 0;
  for (int i = 0; i < samples; ++i) {
    const Sample s = make(static_cast<std::uint64_t>(i));
    std::vector<const float*> inputs;
    for (const auto& x : s.inputs) inputs.push_back(x.data());
    Analysis analysis;
    analysis.run(s.network, s.parameters, 1, inputs, a, {}, options);
    Emulator emulator(1, a);
    emulator.set_sequential(i % 2 == 1);
    const auto values = emulator.run(s.network, s.parameters, 1, inputs);
    for (std::size_t o = 0; o < s.network.outputs().size(); ++o) {
      const auto sigma = analysis.typical(o);
      const OutputBounds b = analysis.output(o);
      for (std::size_t j = 0; j < sigma.size(); ++j) {
        const double error = values[s.network.outputs()[o]][j] - b.reference[j];
        if (sigma[j] == 0) {
          EXPECT_EQ(error, 0);
          continue;
        }
        sum += error * error / (sigma[j] * sigma[j]);
        ++count;
      }
    }
  }
  EXPECT_GT(count, 0u);
  return std::sqrt(sum / static_cast<double>(count));
}

void expect_between(double low, double value, double high) {
  EXPECT_GT(value, low);
  EXPECT_LT(value, high);
}

TEST(Typical, IsTheDeviationOfADotProductFromLeftToRight) {
  for (const std::uint32_t n : {4u, 16u, 64u, 256u, 1024u, 4096u})
    for (const bool positive : {false, true}) {
      SCOPED_TRACE(std::to_string(n) + (positive ? " positive" : " of both signs"));
      const auto make = [&](std::uint64_t seed) { return dots(n, positive, seed); };
      const int samples = n > 256 ? 40 : 150;
      expect_between(0.9, ratio(samples, {}, make), 1.1);
      expect_between(0.85, ratio(samples, matmul_in(Format::bf16), make), 1.15);
      expect_between(0.85, ratio(samples, matmul_in(Format::tf32, Rounding::nearest_away), make),
                     1.15);
      expect_between(0.85, ratio(samples, matmul_in(Format::tf32, Rounding::toward_zero), make),
                     1.15);
    }
}

TEST(Typical, IsTheDeviationOfNetworks) {
  for (const std::uint32_t width : {4u, 16u, 64u}) {
    SCOPED_TRACE(width);
    const int samples = width > 16 ? 100 : 200;
    for (const Op op : {Op::relu, Op::tanh, Op::silu}) {
      const auto make = [&](std::uint64_t seed) { return perceptron(width, op, seed); };
      expect_between(0.7, ratio(samples, {}, make), 1.3);
      expect_between(0.85, ratio(samples, matmul_in(Format::bf16), make), 1.15);
      expect_between(0.85, ratio(samples, matmul_in(Format::tf32, Rounding::nearest_away), make),
                     1.15);
      expect_between(0.85, ratio(samples, kept_in(Format::bf16, matmul_in(Format::bf16)), make),
                     1.15);
      expect_between(0.9, ratio(samples, matmul_in(Format::tf32, Rounding::toward_zero), make),
                     1.6);
    }
  }
}

TEST(Typical, IsWithinAFactorOfTwoForGradients) {
  for (const std::uint32_t width : {4u, 16u, 48u})
    for (const Op op : {Op::relu, Op::tanh}) {
      SCOPED_TRACE(width);
      const auto make = [&](std::uint64_t seed) { return gradients(width, op, seed); };
      for (const Arithmetic& a :
           {Arithmetic{}, matmul_in(Format::bf16), matmul_in(Format::tf32, Rounding::nearest_away)})
        expect_between(0.5, ratio(40, a, make), 2);
    }
}

TEST(Typical, CountsNoConversionThatIsGiven) {
  const auto make = [&](std::uint64_t seed) { return perceptron(16, Op::relu, seed); };
  const Arithmetic tf32 = matmul_in(Format::tf32);
  expect_between(0.5, ratio(200, tf32, make, {.conditional = true}), 2);
  const Sample s = make(1);
  const std::vector<const float*> inputs = {s.inputs[0].data()};
  Analysis given, not_given;
  given.run(s.network, s.parameters, 1, inputs, tf32, {}, {.conditional = true});
  not_given.run(s.network, s.parameters, 1, inputs, tf32);
  EXPECT_LT(100 * given.typical(0)[0], not_given.typical(0)[0]);
}

double power(double x) { return x == 0 ? 0 : std::ldexp(1.0, std::ilogb(x)); }

// A block's products and the accumulator, cut toward zero to `fraction` bits of the largest.
double add_block(const std::vector<double>& products, double sum, std::size_t from, std::size_t to,
                 int fraction) {
  double largest = power(sum);
  for (std::size_t i = from; i < to; ++i) largest = std::max(largest, power(products[i]));
  const double quantum = std::ldexp(largest, -fraction);
  double total = std::trunc(sum / quantum);
  for (std::size_t i = from; i < to; ++i) total += std::trunc(products[i] / quantum);
  return round_to(total * quantum, Format::fp32, Rounding::toward_zero);
}

// Against the exact sum of converted products.
double unit_ratio(std::size_t n, bool positive, const Arithmetic& a) {
  std::mt19937_64 random(n);
  std::normal_distribution<double> normal;
  double sum = 0;
  constexpr int samples = 400;
  for (int s = 0; s < samples; ++s) {
    std::vector<double> products(n);
    DotMoments moments;
    long double exact = 0;
    for (double& t : products) {
      t = round_to(normal(random), a.operand) * round_to(normal(random), a.operand);
      if (positive) t = std::fabs(t);
      moments.add(t);
      exact += t;
    }
    double accumulator = 0;
    for (std::size_t i = 0; i < n; i += a.unit.block)
      accumulator =
          add_block(products, accumulator, i, std::min(n, i + a.unit.block), a.unit.fraction);
    const auto error = static_cast<double>(accumulator - exact);
    sum += error * error / typical_dot(moments, a, true, true, nullptr);
  }
  return std::sqrt(sum / samples);
}

TEST(Typical, KnowsTheBiasOfMatmulUnits) {
  Arithmetic a = matmul_in(Format::tf32);
  for (const MatmulUnit unit : {matmul_units::ampere_tf32, matmul_units::hopper_tf32}) {
    a.unit = unit;
    for (const std::size_t n : {64u, 256u, 1024u}) {
      expect_between(0.3, unit_ratio(n, false, a), 1.5);
      expect_between(0.4, unit_ratio(n, true, a), 1.2);
    }
  }
}

TEST(Typical, IsZeroWhereNothingRounds) {
  Network n;
  n.output(n.linear(n.input(2), n.parameter(1, 2)));
  const std::vector<Tensor> weight = {{1, 2, {3, 5}}};
  const std::vector<float> x = {7, 11};
  const std::vector<const float*> inputs = {x.data()};
  Analysis analysis;
  analysis.run(n, weight, 1, inputs, {});
  EXPECT_EQ(analysis.typical(0)[0], 0);
}

}  // namespace
}  // namespace ulpfuzz::bounds
