#include <gtest/gtest.h>

#include <cmath>

#include "bounds/arithmetics.hpp"
#include "bounds/emulator.hpp"
#include "bounds/mlp.hpp"
#include "bounds/sums.hpp"
#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Emulator;
using testing::expect_between;
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

// Weights that keep errors from dying out on the way, as those of trained networks do.
Sample deep(std::uint32_t depth, Op op, std::uint64_t seed) {
  constexpr std::uint32_t width = 16;
  std::mt19937_64 random(seed * 7919 + depth);
  std::normal_distribution<float> normal;
  const auto draw = [&](std::size_t n, float scale) {
    std::vector<float> v(n);
    for (float& x : v) x = scale * normal(random);
    return v;
  };
  Sample s;
  NodeId h = s.network.input(width);
  s.inputs.push_back(draw(width, 1));
  for (std::uint32_t l = 0; l < depth; ++l) {
    s.parameters.emplace_back(width, width, draw(width * width, 1.5f / 4));
    s.parameters.emplace_back(1, width, draw(width, 1));
    const NodeId weight = s.network.parameter(width, width);
    h = s.network.linear(h, weight, s.network.parameter(1, width));
    if (l + 1 < depth) h = s.network.activation(op, h);
  }
  s.network.output(h);
  return s;
}

// A linear layer, then a row function.
Sample rows(Op op, bool gradient, std::uint64_t seed) {
  constexpr std::uint32_t width = 8;
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  const auto draw = [&](std::size_t n) {
    std::vector<float> v(n);
    for (float& x : v) x = normal(random);
    return v;
  };
  Sample s;
  s.inputs.push_back(draw(width));
  s.parameters.emplace_back(width, width, draw(width * width));
  const NodeId h = s.network.linear(s.network.input(width), s.network.parameter(width, width));
  s.network.output(op == Op::softmax      ? s.network.softmax(h)
                   : op == Op::layer_norm ? s.network.layer_norm(h, 1e-5f)
                                          : s.network.rms_norm(h, 1e-5f));
  if (!gradient) return s;
  s.network = vjp(s.network);
  s.inputs.push_back(draw(width));
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

// The sound radius of such networks grows by orders of magnitude with each layer.
TEST(Typical, DoesNotGrowWithTheSoundRadiusOfDeepNetworks) {
  for (const std::uint32_t depth : {8u, 16u, 32u})
    for (const Op op : {Op::relu, Op::tanh, Op::silu, Op::gelu_erf, Op::gelu_tanh, Op::softplus}) {
      SCOPED_TRACE(std::to_string(depth) + " " + std::to_string(static_cast<int>(op)));
      const auto make = [&](std::uint64_t seed) { return deep(depth, op, seed); };
      const double plain = ratio(30, {}, make);
      const double tf32 = ratio(30, matmul_in(Format::tf32, Rounding::nearest_away), make);
      expect_between(0.3, plain, 3);
      expect_between(0.3, tf32, 3);
    }
}

TEST(Typical, IsNearTheDeviationOfRowFunctions) {
  for (const Op op : {Op::softmax, Op::layer_norm, Op::rms_norm})
    for (const bool gradient : {false, true}) {
      SCOPED_TRACE(static_cast<int>(op));
      const auto make = [&](std::uint64_t seed) { return rows(op, gradient, seed); };
      const double plain = ratio(200, {}, make);
      expect_between(0.3, plain, 3);
    }
}

TEST(Typical, CountsQuantaOfSubnormals) {
  for (const float scale : {1e-38f, 1e-40f, 1e-42f, 1e-44f}) {
    SCOPED_TRACE(scale);
    const auto make = [&](std::uint64_t seed) {
      Sample s = dots(16, false, seed);
      for (float& x : s.inputs[0]) x *= std::sqrt(scale);
      for (float& w : s.parameters[0].data) w *= std::sqrt(scale);
      return s;
    };
    const double plain = ratio(100, {}, make);
    expect_between(0.3, plain, 3);
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
