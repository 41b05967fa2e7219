#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bounds/emulator.hpp"
#include "bounds/random_network.hpp"
#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/fp_environment.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds::testing {

/// What a campaign of random networks against the Emulator has seen.
struct Tally {
  std::size_t judged = 0, exact = 0, other = 0, violations = 0, typical = 0;
  double sound_share = 0, typical_share = 0;
};

// Every node that is computed becomes an output, so that each op is judged on its own.
inline Network with_all_outputs(Network n) {
  for (NodeId id = 0; id < n.nodes().size(); ++id)
    if (n.node(id).arity > 0) n.output(id);
  return n;
}

inline void judge(const Network& n, const LayeredArithmetic& arithmetic, const Analysis& analysis,
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
      const double stored = round_to(values[id][i], arithmetic.at(id).store);
      const double difference = std::fabs(stored - b.reference[i]);
      if (b.judgement[i] == Judgement::exact) ++tally.exact;
      ASSERT_LE(b.local[i], b.sound[i]);
      if (!(difference <= b.sound[i])) {
        ++tally.violations;
        ADD_FAILURE() << name(node.op) << " (of " << name(node.of) << ") element " << i << ": "
                      << stored << " against " << b.reference[i] << ", bound " << b.sound[i]
                      << ", exact " << (b.judgement[i] == Judgement::exact);
        return;
      }
      if (b.sound[i] > 0) tally.sound_share = std::max(tally.sound_share, difference / b.sound[i]);
      if (low_bits && b.sigma[i] > 0) {
        ++tally.typical;
        tally.typical_share = std::max(tally.typical_share, difference / b.sigma[i]);
      }
    }
  }
}

inline std::vector<float> cotangents(const RandomNetwork& r, std::uint32_t repeat,
                                     std::uint64_t seed) {
  const std::size_t width = r.network.node(r.network.outputs()[0]).shape.size();
  std::vector<float> c(r.batch * repeat * width);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < c.size(); ++i)
    c[i] = repeat == 1 ? normal(random) : static_cast<float>(i / width % repeat == i % width);
  return c;
}

/// What is claimed and done in a campaign.
struct Setting {
  Arithmetic everywhere = {};
  AnalysisOptions options = {};
  std::vector<Arithmetic> others = {};  ///< every third node has one of these instead
  bool gradients = false;
  bool refined = false;  ///< output 0 by the adjoint

  LayeredArithmetic of(const Network& network, std::uint64_t seed) const {
    LayeredArithmetic layered(everywhere);
    std::mt19937_64 random(seed);
    for (NodeId id = 0; id < network.nodes().size() && !others.empty(); ++id)
      if (random() % 3 == 0) layered.except.emplace_back(id, others[random() % others.size()]);
    return layered;
  }
};

inline void try_network(const Network& n, const RandomNetwork& r,
                        const std::vector<const float*>& inputs, const Setting& setting,
                        std::uint64_t seed, int styles, Tally& tally) {
  const Network all = with_all_outputs(n);
  const LayeredArithmetic arithmetic = setting.of(all, seed);
  Analysis analysis;
  analysis.run(all, r.parameters, r.batch, inputs, arithmetic, {}, setting.options);
  for (std::size_t e = 0; e < r.batch && setting.refined; ++e) analysis.refine(e);
  Emulator emulator(seed, arithmetic);
  for (int s = 0; s < styles; ++s) {
    emulator.draw_style();
    const FpEnvironment before = FpEnvironment::current();
    FpEnvironment flushing = before;
    flushing.ftz = flushing.daz = arithmetic.everywhere.flushes_subnormals;
    flushing.apply();
    const auto values = emulator.run(all, r.parameters, r.batch, inputs);
    before.apply();
    judge(all, arithmetic, analysis, values, r.low_bits, tally);
  }
}

inline bool prunable(const RandomNetwork& r) {
  return r.network.node(r.network.outputs()[0]).shape.size() <= 24;
}

inline void try_gradients(const RandomNetwork& r, const Setting& setting, std::uint64_t seed,
                          std::size_t wrt, int styles, Tally& tally) {
  const auto width =
      static_cast<std::uint32_t>(r.network.node(r.network.outputs()[0]).shape.size());
  for (const std::uint32_t repeat : {1u, width}) {
    const auto c = cotangents(r, repeat, seed);
    try_network(vjp(r.network, repeat), r, {r.input.data(), c.data()}, setting, seed, styles,
                tally);
  }
  const auto c = cotangents(r, 1, seed);
  try_network(vjp(r.network, 1, Reduction::batch_sum), r, {r.input.data(), c.data()}, setting, seed,
              styles, tally);
  try_network(jvp(r.network, wrt % (1 + r.parameters.size())), r, {r.input.data()}, setting, seed,
              2, tally);
}

inline Tally run_campaign(int networks, int styles, const Setting& setting, std::uint64_t seed) {
  Tally tally;
  for (int i = 0; i < networks && tally.violations == 0; ++i) {
    NetworkBuilder builder(seed + static_cast<std::uint64_t>(i));
    const RandomNetwork r = builder.build();
    SCOPED_TRACE("network " + std::to_string(i) + ": " + describe(r.network));
    if (!setting.gradients) {
      try_network(r.network, r, {r.input.data()}, setting, seed * 77 + i, styles, tally);
    } else if (prunable(r)) {
      try_gradients(r, setting, seed + i, static_cast<std::size_t>(i), styles, tally);
    }
  }
  return tally;
}

}  // namespace ulpfuzz::bounds::testing
