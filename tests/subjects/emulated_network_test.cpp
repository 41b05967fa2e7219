#include <gtest/gtest.h>

#include <thread>

#include "subjects/naive_emulation.hpp"
#include "subjects/trials.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz {
namespace {

using trials::Trial;
using Values = std::vector<std::vector<float>>;

constexpr Format narrow_formats[] = {Format::tf32, Format::bf16, Format::fp16};

Arithmetic accumulating(Format format) {
  Arithmetic a;
  a.accumulate = format;
  return a;
}

Arithmetic ada() {
  Arithmetic a;
  a.operand = Format::tf32;
  a.conversion = Rounding::nearest_away;
  a.unit = matmul_units::ampere_tf32;
  return a;
}

// Calls use(trial) for all examples and their derivatives.
template <class Use>
void each_emulated_network(std::size_t batch, const Use& use) {
  unsigned seed = 1;
  for (const examples::Example& example : examples::all())
    for (const Network& network : trials::with_derivatives(example.network)) {
      use(Trial(network, batch, seed++));
      if (testing::Test::HasFailure()) return;
    }
}

void expect_same_values(const Values& got, const Values& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t o = 0; o < got.size(); ++o)
    for (std::size_t i = 0; i < got[o].size(); ++i)
      ASSERT_TRUE(same_bits(got[o][i], expected[o][i]))
          << what << " output " << o << " [" << i << "]: " << got[o][i] << " for "
          << expected[o][i];
}

TEST(EmulatedNetwork, OfPlainArithmeticGivesTheBitsOfLoopsForEveryOpAndDerivative) {
  const Subject& loops = *trials::subjects().find("loops");
  const Emulated emulated("", {});
  std::size_t networks = 0;
  each_emulated_network(3, [&](const Trial& trial) {
    expect_same_values(trial.run(emulated), trial.run(loops), describe(trial.network));
    ++networks;
  });
  EXPECT_GT(networks, 200u);
}

TEST(EmulatedNetwork, OfAnyArithmeticStaysNearTheExactValues) {
  // Errors of a few units in the last place, on values of size 1; a few masks of relu flip.
  for (const Format format : narrow_formats) {
    Arithmetic a = accumulating(format);
    a.operand = format;
    a.keep = format;
    a.unit = format == Format::fp16 ? matmul_units::ampere_half : MatmulUnit{};
    const double tolerance = 16 * traits(format).unit_roundoff();
    const Emulated emulated("", {.arithmetic = a, .summation = {.order = Summation::Order::lanes}});
    std::size_t compared = 0, far = 0;
    each_emulated_network(2, [&](const Trial& trial) {
      const auto expected = trial.expected();
      const Values got = trial.run(emulated);
      for (std::size_t o = 0; o < got.size(); ++o)
        for (std::size_t i = 0; i < got[o].size(); ++i, ++compared) {
          const double allowed = tolerance * (1 + std::abs(expected[o][i]));
          far += !(std::abs(got[o][i] - expected[o][i]) <= allowed);
        }
    });
    EXPECT_GT(compared, 10000u);
    EXPECT_LE(far, compared / 1000) << traits(format).name;
  }
}

TEST(EmulatedNetwork, RoundsEveryResultToWhatItKeepsAndOutputsToWhatTheyAreStoredIn) {
  for (const Format format : narrow_formats) {
    Arithmetic keeping, storing;
    keeping.keep = storing.store = format;
    for (const Arithmetic& a : {keeping, storing}) {
      std::size_t rounded = 0;
      const Trial trial(trials::mlp({5, 6, 3}, Op::tanh), 4, 7);
      const Values plain = trial.run(Emulated("", {}));
      const Values got = trial.run(Emulated("", {.arithmetic = a}));
      for (std::size_t i = 0; i < got[0].size(); ++i) {
        EXPECT_EQ(got[0][i], round_to(got[0][i], format));
        rounded += plain[0][i] != round_to(plain[0][i], format);
        if (a == storing) {
          EXPECT_EQ(got[0][i], round_to(plain[0][i], format));
        }
      }
      EXPECT_EQ(rounded, got[0].size());
    }
  }
}

TEST(EmulatedNetwork, UsesANodesOwnArithmeticThereAlone) {
  const Trial trial(trials::mlp({4, 5, 3}, Op::relu), 3, 5);
  LayeredArithmetic first, second;
  NodeId hidden = 0, last = 0;
  for (NodeId id = 0; id < trial.network.nodes().size(); ++id)
    if (trial.network.node(id).op == Op::linear) (hidden == 0 ? hidden : last) = id;
  first.except = {{hidden, ada()}};
  second.everywhere = ada();
  second.except = {{hidden, Arithmetic{}}};
  // The second layer of the second is that of ada on the hidden values of plain fp32.
  const Values plain = trial.run(Emulated("", {}));
  const Values one = trial.run(Emulated("", {.arithmetic = first}));
  const Values two = trial.run(Emulated("", {.arithmetic = second}));
  const Values both = trial.run(Emulated("", {.arithmetic = ada()}));
  EXPECT_NE(one, plain);
  EXPECT_NE(two, plain);
  EXPECT_NE(one, both);
  EXPECT_NE(two, both);
  LayeredArithmetic all;
  all.except = {{hidden, ada()}, {last, ada()}};
  EXPECT_EQ(trial.run(Emulated("", {.arithmetic = all})), both);
}

// a[2,3] b[3,4], each laid out transposed or not; or the outer product of [2,1] and [1,4].
TEST(EmulatedNetwork, MultipliesMatricesOfEveryLayoutInItsArithmetic) {
  for (const std::uint32_t k : {1u, 3u})
    for (const bool ta : {false, true})
      for (const bool tb : {false, true})
        for (const bool by_matmul : {false, true}) {
          Network n;
          const NodeId left = n.input(ta ? Shape{k, 2} : Shape{2, k});
          const NodeId right = n.input(tb ? Shape{4, k} : Shape{k, 4});
          n.output(n.matmul(left, right, ta, tb));
          const Trial trial(n, 2, k);
          Arithmetic a = ada();
          a.outer_by_matmul = by_matmul;
          const auto got = trial.run(Emulated("", {.arithmetic = a}))[0];
          naive_emulation::Dot dot(a, {});
          for (std::size_t e = 0; e < 16; ++e) {
            const std::size_t row = e / 8, i = e / 4 % 2, j = e % 4;
            std::vector<float> x, w;
            for (std::size_t q = 0; q < k; ++q) {
              x.push_back(trial.inputs[0].row(row)[ta ? q * 2 + i : i * k + q]);
              w.push_back(trial.inputs[1].row(row)[tb ? j * k + q : q * 4 + j]);
            }
            EXPECT_EQ(got[e], dot(x, w, nullptr, k > 1 || by_matmul)) << k << ta << tb << by_matmul;
          }
        }
}

TEST(EmulatedNetwork, SumsGradientsOverTheBatchInItsArithmeticAndOrder) {
  const Network gradient = derive(trials::mlp({3, 2}, Op::relu)).summed;
  const Trial trial(gradient, 7, 3);  // inputs: x[7,3] and cotangents[7,2]
  for (const auto order : {Summation::Order::sequential, Summation::Order::reversed,
                           Summation::Order::pairwise, Summation::Order::lanes})
    for (const bool unit : {false, true}) {
      const Summation s{.order = order, .lanes = 3};
      const Arithmetic a = unit ? ada() : accumulating(Format::bf16);
      const Values got = trial.run(Emulated("", {.arithmetic = a, .summation = s}));
      naive_emulation::Dot dot(a, s);
      const auto column = [](const Tensor& t, std::size_t c) {
        std::vector<float> v;
        for (std::size_t r = 0; r < t.rows; ++r) v.push_back(t.row(r)[c]);
        return v;
      };
      for (std::size_t i = 0; i < 2; ++i) {
        const auto g = column(trial.inputs[1], i);
        EXPECT_EQ(got[2][i], dot(std::vector<float>(7, 1.0f), g, nullptr, false)) << "bias";
        for (std::size_t j = 0; j < 3; ++j)
          EXPECT_EQ(got[1][i * 3 + j], dot(g, column(trial.inputs[0], j), nullptr, true));
      }
    }
}

TEST(EmulatedNetwork, RoundsEachOperationOfAFunctionToANarrowAccumulator) {
  Network n;
  n.output(n.activation(Op::sigmoid, n.input(1)));
  for (const Format format : narrow_formats) {
    const auto round = [&](double v) { return round_to(v, format); };
    for (unsigned seed = 0; seed < 200; ++seed) {
      const Trial trial(n, 1, seed);
      const float x = trial.inputs[0].data[0];
      const double e = round(std::exp(-std::fabs(x)));
      const double expected = round((x < 0 ? e : 1.0) / round(1 + e));
      EXPECT_EQ(trial.run(Emulated("", {.arithmetic = accumulating(format)}))[0][0], expected);
    }
  }
}

TEST(EmulatedNetwork, AddsNumbersWiderThanItsAccumulatorWithOneRounding) {
  Network n;
  n.output(n.add(n.input(1), n.input(1)));
  Trial trial(n, 1, 1);
  const Emulated bf16("", {.arithmetic = accumulating(Format::bf16)});
  const auto sum = [&](float a, float b) {
    trial.inputs[0].data[0] = a;
    trial.inputs[1].data[0] = b;
    return trial.run(bf16)[0][0];
  };
  // Half way in fp64, above or below half way in truth.
  EXPECT_EQ(sum(0x1.01p0f, 0x1p-60f), 0x1.02p0f);
  EXPECT_EQ(sum(0x1.01p0f, 0.0f), 1.0f);
  EXPECT_EQ(sum(0x1.03p0f, -0x1p-60f), 0x1.02p0f);
  EXPECT_EQ(sum(0x1.03p0f, 0.0f), 0x1.04p0f);
  EXPECT_EQ(sum(-0x1.01p0f, -0x1p-100f), -0x1.02p0f);
  EXPECT_TRUE(std::isnan(sum(INFINITY, -INFINITY)));
  EXPECT_EQ(sum(0x1.fep127f, 0x1.fep127f), INFINITY);
}

TEST(EmulatedNetwork, TakesSubnormalsForZerosInFunctionsToo) {
  Arithmetic a;
  a.flushes_subnormals = true;
  Network n;
  n.output(n.mul(n.input(1), n.input(1)));
  Trial trial(n, 1, 1);
  const auto product = [&](float x, float y) {
    trial.inputs[0].data[0] = x;
    trial.inputs[1].data[0] = y;
    return trial.run(Emulated("", {.arithmetic = a}))[0][0];
  };
  EXPECT_EQ(product(0x1p-130f, 0x1p100f), 0.0f);
  EXPECT_EQ(product(0x1p-100f, 0x1p-30f), 0.0f);
  EXPECT_EQ(product(0x1p-100f, 0x1p-26f), 0x1p-126f);
}

TEST(EmulatedNetwork, GivesTheSameBitsInSeveralThreads) {
  const Trial trial(derive(trials::mlp({20, 30, 4}, Op::gelu_tanh)).reverse, 5, 9);
  const Emulated emulated("", {.arithmetic = ada()});
  const Values expected = trial.run(emulated);
  Values got[4];
  std::vector<std::thread> threads;
  for (Values& values : got) threads.emplace_back([&] { values = trial.run(emulated); });
  for (std::thread& t : threads) t.join();
  for (const Values& values : got) expect_same_values(values, expected, "thread");
}

TEST(Emulated, RefusesWhatItCannotEmulateAndSaysWhatWouldFit) {
  const auto message = [](Emulation e) -> std::string {
    try {
      Emulated("", std::move(e));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  Arithmetic a;
  a.unit = {4, 29};
  EXPECT_EQ(message({.arithmetic = a}),
            "Emulated: a matmul unit with 29 fractional bits; 1 to 28 would fit");
  EXPECT_EQ(message({.summation = {.lanes = 0}}),
            "Emulated: a summation with 0 lanes; 1 or more would fit");
  LayeredArithmetic layered;
  layered.except = {{3, a}};
  EXPECT_NE(message({.arithmetic = layered}), "accepted");
  EXPECT_EQ(message({}), "accepted");
}

}  // namespace
}  // namespace ulpfuzz
