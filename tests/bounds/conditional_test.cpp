#include <gtest/gtest.h>

#include <algorithm>

#include "../../bounds/general_coefficients.hpp"
#include "../../bounds/node_arithmetic.hpp"
#include "bounds/arithmetics.hpp"
#include "bounds/campaign.hpp"
#include "bounds/mlp.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::kept_in;
using testing::matmul_in;
using testing::Mlp;
using testing::run_campaign;
using testing::split_in;
using testing::stored_in;
using testing::Tally;

constexpr AnalysisOptions given{.conditional = true};

class Conditional : public ::testing::TestWithParam<Arithmetic> {};

TEST_P(Conditional, NoOrderExceedsTheBoundsAgainstTheConvertedReference) {
  for (const bool gradients : {false, true}) {
    const Tally t =
        run_campaign(gradients ? 60 : 300, 4,
                     {.everywhere = GetParam(), .options = given, .gradients = gradients}, 31);
    EXPECT_EQ(t.violations, 0u);
    EXPECT_GT(t.judged, 10'000u);
    EXPECT_GT(t.sound_share, 0.3);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Conditional,
    ::testing::Values(matmul_in(Format::tf32), matmul_in(Format::tf32, Rounding::nearest_away),
                      matmul_in(Format::tf32, Rounding::toward_zero), matmul_in(Format::bf16),
                      matmul_in(Format::bf16, Rounding::toward_zero), matmul_in(Format::fp16),
                      testing::without_outer(matmul_in(Format::bf16)),
                      testing::flushing(matmul_in(Format::tf32)), split_in(Split::bf16x3),
                      split_in(Split::bf16x6), split_in(Split::bf16x9), split_in(Split::tf32x3),
                      split_in(Split::bf16x3, Rounding::toward_zero), testing::all_in(Format::bf16),
                      kept_in(Format::bf16), kept_in(Format::fp16),
                      kept_in(Format::bf16, matmul_in(Format::bf16)),
                      stored_in(Format::bf16, matmul_in(Format::bf16)),
                      stored_in(Format::fp16, kept_in(Format::bf16))));

TEST(ConditionalLayers, MayDiffer) {
  const std::vector<Arithmetic> others = {matmul_in(Format::tf32), matmul_in(Format::bf16),
                                          Arithmetic{}, kept_in(Format::bf16),
                                          split_in(Split::tf32x3)};
  for (const bool matrix : {false, true})
    for (const bool gradients : {false, true}) {
      const Tally t = run_campaign(gradients ? 60 : 300, 4,
                                   {.options = {.matrix_adjoint = matrix, .conditional = true},
                                    .others = others,
                                    .gradients = gradients},
                                   41);
      EXPECT_EQ(t.violations, 0u);
      EXPECT_GT(t.judged, 10'000u);
      EXPECT_GT(t.sound_share, 0.3);
    }
}

double median_bound(std::uint32_t width, const Arithmetic& arithmetic, AnalysisOptions options) {
  std::vector<double> bounds;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Mlp mlp({width, width, width, 4}, seed);
    Analysis analysis;
    const std::vector<const float*> inputs = {mlp.input.data()};
    analysis.run(mlp.network, mlp.parameters, 1, inputs, arithmetic, {}, options);
    analysis.refine(0);
    const auto sound = analysis.output(0).sound;
    bounds.insert(bounds.end(), sound.begin(), sound.end());
  }
  std::nth_element(bounds.begin(), bounds.begin() + bounds.size() / 2, bounds.end());
  return bounds[bounds.size() / 2];
}

TEST(ConditionalMedian, IsThatOfTheAccumulationAlone) {
  const Arithmetic tf32 = matmul_in(Format::tf32, Rounding::nearest_away);
  EXPECT_LT(median_bound(8, tf32, given), 3.5e-7);
  EXPECT_GT(median_bound(8, tf32, {}), 1e-4);
  const Arithmetic bf16 = matmul_in(Format::bf16);
  EXPECT_LT(median_bound(32, bf16, given), 2e-6);
  EXPECT_GT(median_bound(32, bf16, {}), 1e-3);
}

// One dot of converted numbers: (1 + 2^-8)(1 + 2^-8) in bf16 is 1 or (1 + 2^-7)^2.
TEST(ConditionalReference, IsExactArithmeticOnConvertedOperands) {
  Network n;
  const NodeId x = n.input(1);
  n.output(n.linear(x, n.parameter(1, 1)));
  const std::vector<Tensor> weight = {{1, 1, {1 + 0x1p-8f}}};
  const std::vector<float> input = {1 + 0x1p-8f};
  const std::vector<const float*> inputs = {input.data()};
  Analysis analysis;
  const auto reference = [&](const Arithmetic& a) {
    analysis.run(n, weight, 1, inputs, a, {}, given);
    EXPECT_EQ(analysis.output(0).judgement[0], Judgement::exact);
    return analysis.output(0).reference[0];
  };
  EXPECT_EQ(reference(matmul_in(Format::bf16)), 1);
  EXPECT_EQ(reference(matmul_in(Format::bf16, Rounding::nearest_away)),
            (1 + 0x1p-7) * (1 + 0x1p-7));
  EXPECT_EQ(reference(split_in(Split::bf16x3)), 1 + 0x1p-7);  // without 2^-16
}

TEST(Conditional, ProductsOfPiecesHaveBlocksOfAMatmulUnitOfTheirOwn) {
  Arithmetic a;
  a.split = Split::tf32x3;
  a.unit = {4, 24};
  const double pass_by_pass =
      general_coefficients(model_of(a), {.width = 2, .terms = 2}).unit_binade;
  NodeArithmetics conditional;
  conditional.set(a, 1, true);
  const double side_by_side =
      general_coefficients(conditional.everywhere().model, {.width = 6, .terms = 6}).unit_binade;
  EXPECT_EQ(pass_by_pass, 8 * 0x1p-24);
  EXPECT_EQ(side_by_side, pass_by_pass);
}

}  // namespace
}  // namespace ulpfuzz::bounds
