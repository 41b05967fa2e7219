#include <gtest/gtest.h>

#include "bounds/arithmetics.hpp"
#include "bounds/campaign.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::all_in;
using testing::Emulator;
using testing::flushing;
using testing::kept_in;
using testing::matmul_in;
using testing::NetworkBuilder;
using testing::RandomNetwork;
using testing::run_campaign;
using testing::split_in;
using testing::stored_in;
using testing::Tally;

#ifndef CAMPAIGN_SCALE
#define CAMPAIGN_SCALE 1  // more, for a longer search
#endif

int budget(int n) { return n * CAMPAIGN_SCALE; }

TEST(Soundness, NoOrderOrFormulaExceedsTheForwardBounds) {
  const Tally t = run_campaign(budget(1500), 6, {}, 1);
  EXPECT_EQ(t.violations, 0u);
  EXPECT_GT(t.judged, 100'000u);
  EXPECT_GT(t.exact, 1'000u);
  EXPECT_GT(t.sound_share, 0.5);
  EXPECT_LT(t.typical_share, lambda(1));
  EXPECT_GT(t.typical_share, 1.0);
}

TEST(Soundness, NoOrderOrFormulaExceedsTheGradientBounds) {
  const Tally t = run_campaign(budget(400), 4, {.gradients = true}, 2);
  EXPECT_EQ(t.violations, 0u);
  EXPECT_GT(t.judged, 100'000u);
  EXPECT_GT(t.exact, 1'000u);
  EXPECT_GT(t.sound_share, 0.5);
  EXPECT_LT(t.typical_share, lambda(1));
}

class EveryArithmetic : public ::testing::TestWithParam<Arithmetic> {};

TEST_P(EveryArithmetic, IsBoundedForwardAndBackward) {
  for (const bool gradients : {false, true}) {
    const Tally t = run_campaign(budget(gradients ? 60 : 300), 4,
                                 {.everywhere = GetParam(), .gradients = gradients}, 3);
    EXPECT_EQ(t.violations, 0u);
    EXPECT_GT(t.judged, 10'000u);
    EXPECT_GT(t.sound_share, 0.3);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Soundness, EveryArithmetic,
    ::testing::Values(matmul_in(Format::tf32, Rounding::nearest_even),
                      matmul_in(Format::tf32, Rounding::nearest_away),
                      matmul_in(Format::tf32, Rounding::toward_zero),
                      matmul_in(Format::bf16, Rounding::nearest_even),
                      matmul_in(Format::fp16, Rounding::nearest_even), all_in(Format::bf16),
                      flushing(), split_in(Split::bf16x3), split_in(Split::bf16x6),
                      split_in(Split::bf16x9), split_in(Split::tf32x3, Rounding::toward_zero),
                      kept_in(Format::bf16), kept_in(Format::fp16),
                      kept_in(Format::bf16, matmul_in(Format::bf16)), stored_in(Format::bf16),
                      stored_in(Format::fp16, kept_in(Format::bf16))));

// The adjoint bound, like the plain one, over everything that a network may be made of.
TEST(Refine, IsSoundAndNeverLargerThanThePlainBoundNorBelowTheLocalOne) {
  std::size_t smaller = 0;
  double best = 1;
  for (int i = 0; i < budget(1500); ++i) {
    const RandomNetwork r = NetworkBuilder(static_cast<std::uint64_t>(i) + 9000).build();
    SCOPED_TRACE("network " + std::to_string(i) + ": " + describe(r.network));
    const std::vector<const float*> inputs = {r.input.data()};
    Analysis analysis;
    analysis.run(r.network, r.parameters, r.batch, inputs, {});
    const auto sound = analysis.output(0).sound;
    const std::vector<double> plain(sound.begin(), sound.end());
    for (std::size_t e = 0; e < r.batch; ++e) analysis.refine(e);
    const OutputBounds refined = analysis.output(0);
    for (std::size_t j = 0; j < plain.size(); ++j) {
      if (refined.judgement[j] != Judgement::usable) continue;
      ASSERT_LE(refined.sound[j], plain[j]);
      ASSERT_GE(refined.sound[j], refined.local[j]);
      smaller += refined.sound[j] < 0.99 * plain[j];
      best = std::min(best, refined.sound[j] / plain[j]);
    }
    Emulator emulator(static_cast<std::uint64_t>(i), {});
    Tally tally;
    for (int s = 0; s < 6; ++s) {
      emulator.draw_style();
      judge(r.network, {}, analysis, emulator.run(r.network, r.parameters, r.batch, inputs), false,
            tally);
    }
    ASSERT_EQ(tally.violations, 0u);
  }
  EXPECT_GT(smaller, 1'000u);
  EXPECT_LT(best, 0.5);
}

}  // namespace
}  // namespace ulpfuzz::bounds
