#include <gtest/gtest.h>

#include <cmath>

#include "bounds/emulator.hpp"
#include "bounds/mlp.hpp"
#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Emulator;
using testing::Mlp;

struct Deviations {
  double plain = 0, matrix = 0;  ///< of the first output
  double share = 0;  ///< largest error / (lambda deviation) of evaluations, by the matrix adjoint
};

Deviations deviations(const Network& network, const std::vector<Tensor>& parameters,
                      const std::vector<const float*>& inputs) {
  Analysis analysis;
  Deviations d;
  analysis.run(network, parameters, 1, inputs, {});
  d.plain = analysis.output(0).sigma[0];
  analysis.run(network, parameters, 1, inputs, {}, {}, {.matrix_adjoint = true});
  const OutputBounds b = analysis.output(0);
  d.matrix = b.sigma[0];
  Emulator emulator(5, Arithmetic{});
  for (int style = 0; style < 24; ++style) {
    emulator.draw_style();
    const auto y = emulator.run(network, parameters, 1, inputs)[network.outputs()[0]];
    for (std::size_t i = 0; i < y.size(); ++i)
      d.share = std::max(d.share, std::fabs(y[i] - b.reference[i]) / (lambda(1) * b.sigma[i]));
  }
  return d;
}

Tensor positive(std::uint32_t rows, std::uint32_t cols, std::mt19937_64& random) {
  std::uniform_real_distribution<float> uniform(0.5f, 1);
  Tensor t(rows, cols);
  for (float& w : t.data) w = uniform(random) / static_cast<float>(cols);
  return t;
}

/// Large terms that cancel: the one source of error.
const Tensor cancelling(1, 4, {12345.678f, -23456.789f, 21111.111f, -10001.234f});
const std::vector<float> ones{1.0001f, 0.9997f, 1.0003f, 0.9995f};

TEST(MatrixAdjointDeviations, CountWhatErrorsOfOneSourceDoTogether) {
  std::mt19937_64 random(1);
  Network n;
  NodeId h = n.linear(n.input(4), n.parameter(1, 4));
  h = n.linear(h, n.parameter(64, 1));
  n.output(n.linear(h, n.parameter(1, 64)));
  const Deviations d =
      deviations(n, {cancelling, positive(64, 1, random), positive(1, 64, random)}, {ones.data()});
  EXPECT_GT(d.matrix, 5 * d.plain);
  EXPECT_LT(d.share, 1);
  EXPECT_GT(d.share, 1e-3);
}

TEST(MatrixAdjointDeviations, CoverTheBackwardPass) {
  std::mt19937_64 random(2);
  Network n;
  NodeId h = n.linear(n.input(1), n.parameter(64, 1));
  h = n.linear(h, n.parameter(1, 64));
  n.output(n.linear(h, n.parameter(4, 1)));
  const Tensor last(4, 1, cancelling.data);
  const float x = 0.3f;
  const Deviations d = deviations(vjp(n), {positive(64, 1, random), positive(1, 64, random), last},
                                  {&x, ones.data()});
  EXPECT_GT(d.matrix, 5 * d.plain);
  EXPECT_LT(d.share, 1);
  EXPECT_GT(d.share, 1e-3);
}

TEST(MatrixAdjointDeviations, CoverDeepNetworksOfEitherSign) {
  for (const bool same_sign : {false, true}) {
    Mlp m(std::vector<std::uint32_t>(9, 48), 3);
    if (same_sign)
      for (Tensor& t : m.parameters)
        for (float& w : t.data) w = std::fabs(w);
    const Deviations d = deviations(m.network, m.parameters, {m.input.data()});
    EXPECT_LT(d.share, 1) << same_sign;
    EXPECT_GT(d.share, 1e-4) << same_sign;
  }
}

}  // namespace
}  // namespace ulpfuzz::bounds
