#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "bounds/emulator.hpp"
#include "bounds/random_network.hpp"
#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/fp_environment.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::Emulator;
using testing::NetworkBuilder;
using testing::RandomNetwork;

#ifndef CAMPAIGN_SCALE
#define CAMPAIGN_SCALE 1  // more, for a longer search
#endif

struct Tally {
  std::size_t judged = 0, exact = 0, other = 0, violations = 0, typical = 0;
  double sound_share = 0, typical_share = 0;
  std::map<Op, double> share;
};

// Every node that is computed becomes an output, so that each op is judged on its own.
Network with_all_outputs(Network n) {
  for (NodeId id = 0; id < n.nodes().size(); ++id)
    if (n.node(id).arity > 0) n.output(id);
  return n;
}

void judge(const Network& n, const Analysis& analysis,
           const std::vector<std::vector<float>>& values, bool low_bits, Tally& tally) {
  for (std::size_t o = 0; o < n.outputs().size(); ++o) {
    const OutputBounds b = analysis.output(o);
    const NodeId id = n.outputs()[o];
    const Node& node = n.node(id);
    for (std::size_t i = 0; i < b.sound.size(); ++i) {
      if (b.judgement[i] != Judgement::usable && b.judgement[i] != Judgement::exact) {
        ++tally.other;
        continue;
      }
      ++tally.judged;
      const double difference = std::fabs(double{values[id][i]} - b.reference[i]);
      if (b.judgement[i] == Judgement::exact) ++tally.exact;
      ASSERT_LE(b.local[i], b.sound[i]);
      if (!(difference <= b.sound[i])) {
        ++tally.violations;
        ADD_FAILURE() << name(node.op) << " (of " << name(node.of) << ") element " << i << ": "
                      << values[id][i] << " against " << b.reference[i] << ", bound " << b.sound[i]
                      << ", exact " << (b.judgement[i] == Judgement::exact);
        return;
      }
      if (b.sound[i] > 0) {
        tally.sound_share = std::max(tally.sound_share, difference / b.sound[i]);
        double& s = tally.share[node.op];
        s = std::max(s, difference / b.sound[i]);
      }
      if (low_bits && b.sigma[i] > 0) {
        ++tally.typical;
        tally.typical_share = std::max(tally.typical_share, difference / b.sigma[i]);
      }
    }
  }
}

struct Trial {
  Network network;
  std::vector<const float*> inputs;
};

std::vector<float> cotangents(const RandomNetwork& r, std::uint32_t repeat, std::uint64_t seed) {
  const std::size_t width = r.network.node(r.network.outputs()[0]).shape.size();
  std::vector<float> c(r.batch * repeat * width);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < c.size(); ++i)
    c[i] = repeat == 1 ? normal(random) : static_cast<float>(i / width % repeat == i % width);
  return c;
}

void try_network(const Network& n, const RandomNetwork& r, std::vector<const float*> inputs,
                 const Arithmetic& arithmetic, std::uint64_t seed, int styles, Tally& tally) {
  const Network all = with_all_outputs(n);
  Analysis analysis;
  analysis.run(all, r.parameters, r.batch, inputs, arithmetic);
  Emulator emulator(seed, arithmetic);
  for (int s = 0; s < styles; ++s) {
    emulator.draw_style();
    const FpEnvironment before = FpEnvironment::current();
    FpEnvironment flushing = before;
    flushing.ftz = flushing.daz = arithmetic.flushes_subnormals;
    flushing.apply();
    const auto values = emulator.run(all, r.parameters, r.batch, inputs);
    before.apply();
    judge(all, analysis, values, r.low_bits, tally);
  }
}

bool prunable(const RandomNetwork& r) {
  return r.network.node(r.network.outputs()[0]).shape.size() <= 24;
}

Tally run_campaign(int networks, int styles, const Arithmetic& arithmetic, bool gradients,
                   std::uint64_t seed) {
  Tally tally;
  for (int i = 0; i < networks && tally.violations == 0; ++i) {
    NetworkBuilder builder(seed + static_cast<std::uint64_t>(i));
    const RandomNetwork r = builder.build();
    const std::vector<const float*> inputs = {r.input.data()};
    SCOPED_TRACE("network " + std::to_string(i) + ": " + describe(r.network));
    if (!gradients) {
      try_network(r.network, r, inputs, arithmetic, seed * 77 + i, styles, tally);
      continue;
    }
    if (!prunable(r)) continue;
    const auto width =
        static_cast<std::uint32_t>(r.network.node(r.network.outputs()[0]).shape.size());
    for (const std::uint32_t repeat : {1u, width}) {
      const auto c = cotangents(r, repeat, seed + i);
      try_network(vjp(r.network, repeat), r, {r.input.data(), c.data()}, arithmetic, seed + i,
                  styles, tally);
    }
    const auto c = cotangents(r, 1, seed + i);
    try_network(vjp(r.network, 1, Reduction::batch_sum), r, {r.input.data(), c.data()}, arithmetic,
                seed + i, styles, tally);
    const std::size_t wrt = static_cast<std::size_t>(i) % (1 + r.parameters.size());
    try_network(jvp(r.network, wrt), r, inputs, arithmetic, seed + i, 2, tally);
  }
  std::string shares;
  for (const auto& [op, share] : tally.share)
    shares += std::string(name(op)) + " " + std::to_string(share) + ", ";
  ::testing::Test::RecordProperty("shares", shares);
  return tally;
}

int budget(int n) { return n * CAMPAIGN_SCALE; }

TEST(Soundness, NoOrderOrFormulaExceedsTheForwardBounds) {
  const Tally t = run_campaign(budget(1500), 6, {}, false, 1);
  EXPECT_EQ(t.violations, 0u);
  EXPECT_GT(t.judged, 100'000u);
  EXPECT_GT(t.exact, 1'000u);
  EXPECT_GT(t.sound_share, 0.5);
  EXPECT_LT(t.typical_share, lambda(1));
  EXPECT_GT(t.typical_share, 1.0);
}

TEST(Soundness, NoOrderOrFormulaExceedsTheGradientBounds) {
  const Tally t = run_campaign(budget(400), 4, {}, true, 2);
  EXPECT_EQ(t.violations, 0u);
  EXPECT_GT(t.judged, 100'000u);
  EXPECT_GT(t.exact, 1'000u);
  EXPECT_GT(t.sound_share, 0.5);
  EXPECT_LT(t.typical_share, lambda(1));
}

class EveryArithmetic : public ::testing::TestWithParam<Arithmetic> {};

TEST_P(EveryArithmetic, IsBoundedForwardAndBackward) {
  for (const bool gradients : {false, true}) {
    const Tally t = run_campaign(budget(gradients ? 60 : 300), 4, GetParam(), gradients, 3);
    EXPECT_EQ(t.violations, 0u);
    EXPECT_GT(t.judged, 10'000u);
    EXPECT_GT(t.sound_share, 0.3);
  }
}

Arithmetic matmul_in(Format operand, Rounding conversion) {
  Arithmetic a;
  a.operand = operand;
  a.conversion = conversion;
  return a;
}

Arithmetic flushing() {
  Arithmetic a;
  a.flushes_subnormals = true;
  return a;
}

Arithmetic all_in(Format format) {
  Arithmetic a;
  a.operand = a.accumulate = a.store = format;
  return a;
}

INSTANTIATE_TEST_SUITE_P(Soundness, EveryArithmetic,
                         ::testing::Values(matmul_in(Format::tf32, Rounding::nearest_even),
                                           matmul_in(Format::tf32, Rounding::nearest_away),
                                           matmul_in(Format::tf32, Rounding::toward_zero),
                                           matmul_in(Format::bf16, Rounding::nearest_even),
                                           matmul_in(Format::fp16, Rounding::nearest_even),
                                           all_in(Format::bf16), flushing()));

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
      judge(r.network, analysis, emulator.run(r.network, r.parameters, r.batch, inputs), false,
            tally);
    }
    ASSERT_EQ(tally.violations, 0u);
  }
  EXPECT_GT(smaller, 1'000u);
  EXPECT_LT(best, 0.5);
}

}  // namespace
}  // namespace ulpfuzz::bounds
