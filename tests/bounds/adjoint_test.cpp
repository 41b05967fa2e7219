#include <gtest/gtest.h>

#include <algorithm>

#include "bounds/arithmetics.hpp"
#include "bounds/campaign.hpp"
#include "bounds/mlp.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Emulator;
using testing::matmul_in;
using testing::Mlp;
using testing::run_campaign;
using testing::Tally;

constexpr AnalysisOptions by_matrix{.matrix_adjoint = true};

TEST(MatrixAdjoint, NoOrderExceedsItsBounds) {
  for (const Arithmetic& a :
       {Arithmetic{}, matmul_in(Format::bf16), testing::kept_in(Format::bf16)})
    for (const bool gradients : {false, true}) {
      const Tally t =
          run_campaign(gradients ? 100 : 500, 4,
                       {.everywhere = a, .options = by_matrix, .gradients = gradients}, 51);
      EXPECT_EQ(t.violations, 0u);
      EXPECT_GT(t.judged, 10'000u);
      EXPECT_GT(t.sound_share, 0.3);
    }
}

TEST(Refine, IsSoundInEveryArithmetic) {
  const std::vector<Arithmetic> others = {matmul_in(Format::tf32), testing::kept_in(Format::bf16),
                                          testing::stored_in(Format::bf16)};
  for (const bool conditional : {false, true})
    for (const Arithmetic& a : {matmul_in(Format::bf16), testing::kept_in(Format::fp16),
                                testing::stored_in(Format::bf16), Arithmetic{}}) {
      const Tally t = run_campaign(400, 4,
                                   {.everywhere = a,
                                    .options = {.conditional = conditional},
                                    .others = others,
                                    .refined = true},
                                   61);
      EXPECT_EQ(t.violations, 0u);
      EXPECT_GT(t.judged, 10'000u);
    }
}

std::vector<std::uint32_t> layers(std::size_t depth, std::uint32_t width) {
  std::vector<std::uint32_t> widths(depth, width);
  widths.push_back(4);
  return widths;
}

std::vector<double> adjoint_bounds(const Mlp& mlp, AnalysisOptions options, bool refined) {
  Analysis analysis;
  const std::vector<const float*> inputs = {mlp.input.data()};
  analysis.run(mlp.network, mlp.parameters, 1, inputs, {}, {}, options);
  if (refined) analysis.refine(0);
  const auto sound = analysis.output(0).sound;
  return {sound.begin(), sound.end()};
}

TEST(MatrixAdjoint, IsNeverAboveTheOthers) {
  for (const Op op : {Op::relu, Op::tanh, Op::gelu_erf})
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Mlp mlp(layers(6, 16), seed, op);
      const auto plain = adjoint_bounds(mlp, {}, false), refined = adjoint_bounds(mlp, {}, true),
                 all = adjoint_bounds(mlp, by_matrix, false);
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_LE(refined[i], plain[i]);
        EXPECT_LE(all[i], refined[i] * (1 + 1e-9));
      }
    }
}

// Of output 0, over the largest error of 30 orders each; docs/bounds.md states the medians.
double median_excess(std::size_t depth, std::uint32_t width, bool gradient,
                     AnalysisOptions options) {
  std::vector<double> excess;
  const std::vector<float> cotangent = {1, 0.3f, -0.7f, 0.2f};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Mlp mlp(layers(depth, width), seed);
    const Network network = gradient ? vjp(mlp.network) : mlp.network;
    std::vector<const float*> inputs = {mlp.input.data()};
    if (gradient) inputs.push_back(cotangent.data());
    Analysis analysis;
    analysis.run(network, mlp.parameters, 1, inputs, {}, {}, options);
    const OutputBounds b = analysis.output(0);
    std::vector<double> worst(b.sound.size());
    Emulator emulator(seed, {});
    for (int s = 0; s < 30; ++s) {
      emulator.draw_style();
      const auto values = emulator.run(network, mlp.parameters, 1, inputs);
      const auto& y = values[network.outputs()[0]];
      for (std::size_t i = 0; i < worst.size(); ++i)
        worst[i] = std::max(worst[i], std::fabs(y[i] - b.reference[i]));
    }
    for (std::size_t i = 0; i < worst.size(); ++i) excess.push_back(b.sound[i] / worst[i]);
  }
  std::sort(excess.begin(), excess.end());
  EXPECT_GT(excess.front(), 1);
  return excess[excess.size() / 2];
}

TEST(MatrixAdjoint, StaysNearTheWorstObservedInDeepNetworks) {
  EXPECT_GT(median_excess(8, 32, false, {}), 1000);
  EXPECT_LT(median_excess(8, 32, false, by_matrix), 106);
  EXPECT_GT(median_excess(16, 32, false, {}), 10'000);
  EXPECT_LT(median_excess(16, 32, false, by_matrix), 137);
}

TEST(MatrixAdjoint, StaysNearTheWorstObservedInGradients) {
  EXPECT_GT(median_excess(8, 32, true, {}), 5000);
  EXPECT_LT(median_excess(8, 32, true, by_matrix), 200);
  EXPECT_GT(median_excess(16, 32, true, {}), 1e7);
  EXPECT_LT(median_excess(16, 32, true, by_matrix), 300);
}

std::size_t undecided(const Mlp& mlp, AnalysisOptions options) {
  Analysis analysis;
  const std::vector<float> cotangent = {1, 0, 0, 0};
  const std::vector<const float*> inputs = {mlp.input.data(), cotangent.data()};
  analysis.run(vjp(mlp.network), mlp.parameters, 1, inputs, {}, {}, options);
  return analysis.undecided_kinks();
}

TEST(MatrixAdjoint, DecidesUnitsOfDerivativeNetworksThatPlainBoundsLeaveOpen) {
  const Mlp mlp(layers(8, 128), 1);
  EXPECT_GT(undecided(mlp, {}), 10u);
  EXPECT_LE(undecided(mlp, by_matrix), 1u);
}

}  // namespace
}  // namespace ulpfuzz::bounds
