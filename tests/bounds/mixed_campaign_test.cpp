#include <gtest/gtest.h>

#include <random>

#include "bounds/arithmetics.hpp"
#include "bounds/campaign.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

/// Random networks whose products are computed one way or the other, node by node, against the
/// bounds of the mixed arithmetic.
namespace ulpfuzz::bounds {
namespace {

using testing::RandomNetwork;

/// What is claimed of each evaluation, and what is done in it: some products, drawn anew for each,
/// in plain fp32, and no more partial sums than stated.
struct Mixture {
  Arithmetic claimed;
  AnalysisOptions options = {};
  bool refined = false;

  LayeredArithmetic drawn(const Network& network, std::mt19937_64& random) const {
    LayeredArithmetic done(claimed);
    done.everywhere.mixed = false;
    const std::size_t plain = random() % 4;  // none, some, most or all
    for (NodeId id = 0; id < network.nodes().size(); ++id) {
      const Op op = network.node(id).op;
      if (op != Op::linear && op != Op::matmul && op != Op::outer_sum) continue;
      Arithmetic own = random() % 3 < plain ? plain_products(claimed) : done.everywhere;
      if (claimed.partials > 0)
        own.partials = static_cast<std::uint32_t>(random() % claimed.partials) + 1;
      done.except.emplace_back(id, own);
    }
    return done;
  }
};

Summation any_summation(std::mt19937_64& random) {
  return {static_cast<Summation::Order>(random() % 4), 4, random() % 2 == 0, random() % 2 == 0};
}

class Campaign {
 public:
  Campaign(const Mixture& mixture, std::uint64_t seed) : mixture_(mixture), random_(seed) {}

  void forward(int networks) {
    for (int i = 0; i < networks && tally_.violations == 0; ++i) {
      const RandomNetwork r = testing::NetworkBuilder(random_()).build();
      attempt(r.network, r, {r.input.data()});
    }
  }
  void gradients(int networks) {
    for (int i = 0; i < networks && tally_.violations == 0; ++i) {
      const RandomNetwork r = testing::NetworkBuilder(random_()).build();
      if (!testing::prunable(r)) continue;
      const auto c = testing::cotangents(r, 1, random_());
      attempt(vjp(r.network, 1), r, {r.input.data(), c.data()});
      attempt(vjp(r.network, 1, Reduction::batch_sum), r, {r.input.data(), c.data()});
      attempt(jvp(r.network, random_() % (1 + r.parameters.size())), r, {r.input.data()});
    }
  }
  const testing::Tally& tally() const { return tally_; }

 private:
  void attempt(const Network& n, const RandomNetwork& r, const std::vector<const float*>& inputs) {
    SCOPED_TRACE(describe(r.network));
    const Network all = testing::with_all_outputs(n);
    analysis_.run(all, r.parameters, r.batch, inputs, mixture_.claimed, {}, mixture_.options);
    for (std::size_t e = 0; e < r.batch && mixture_.refined; ++e) analysis_.refine(e);
    for (int s = 0; s < 4; ++s) {
      const Emulated subject("", {mixture_.drawn(all, random_), any_summation(random_)});
      const Outputs y = caller_.run(subject, all, r.parameters, r.batch, inputs);
      std::vector<std::vector<float>> values(all.nodes().size());
      for (std::size_t o = 0; o < all.outputs().size(); ++o)
        values[all.outputs()[o]].assign(y.values[o].begin(), y.values[o].end());
      testing::judge(all, mixture_.claimed, analysis_, values, false, tally_);
    }
  }

  Mixture mixture_;
  std::mt19937_64 random_;
  Analysis analysis_;
  Caller caller_;
  testing::Tally tally_;
};

std::vector<Arithmetic> claims() {
  Arithmetic ada = testing::matmul_in(Format::tf32, Rounding::nearest_away);
  ada.unit = matmul_units::ampere_tf32;
  Arithmetic hopper = testing::matmul_in(Format::tf32, Rounding::toward_zero);
  hopper.unit = matmul_units::hopper_tf32;
  hopper.outer_by_matmul = false;
  Arithmetic half = testing::matmul_in(Format::fp16);
  half.unit = matmul_units::hopper_half;
  half.partials = 3;
  Arithmetic narrow = testing::kept_in(Format::bf16, testing::matmul_in(Format::bf16));
  narrow.partials = 4;
  narrow.partial = Format::bf16;
  Arithmetic stored = testing::all_in(Format::bf16);
  std::vector<Arithmetic> all = {testing::flushing(testing::matmul_in(Format::tf32)),
                                 ada,
                                 hopper,
                                 half,
                                 narrow,
                                 stored,
                                 testing::split_in(Split::bf16x3),
                                 testing::split_in(Split::bf16x6)};
  for (Arithmetic& a : all) a.mixed = true;
  return all;
}

void expect_sound(const Mixture& mixture, int forward, int gradients, std::uint64_t seed) {
  Campaign campaign(mixture, seed);
  campaign.forward(forward);
  campaign.gradients(gradients);
  EXPECT_EQ(campaign.tally().violations, 0u);
  EXPECT_GT(campaign.tally().judged, 5'000u);
  EXPECT_GT(campaign.tally().sound_share, 0.3);
}

TEST(MixedCampaign, NoProductOfEitherKindIsBeyondItsBound) {
  for (const Arithmetic& a : claims()) expect_sound({a, {}, false}, 120, 40, 1);
}

TEST(MixedCampaign, NorBeyondTheBoundsOfTheAdjoint) {
  for (const Arithmetic& a : claims()) {
    expect_sound({a, {}, true}, 120, 0, 2);
    expect_sound({a, {.matrix_adjoint = true}, true}, 80, 30, 3);
  }
}

TEST(MixedCampaign, NorWhereConditionsAreAskedFor) {
  for (const Arithmetic& a : claims()) expect_sound({a, {.conditional = true}, true}, 120, 20, 4);
}

// The same evaluations are soon found out where the claim is fp32 alone.
TEST(MixedCampaign, FindsWhatIsNotClaimed) {
  Mixture mixture{claims()[1]};
  Analysis analysis;
  Caller caller;
  std::mt19937_64 random(5);
  int beyond = 0;
  for (int i = 0; i < 40; ++i) {
    const RandomNetwork r = testing::NetworkBuilder(random()).build();
    const std::vector<const float*> inputs = {r.input.data()};
    analysis.run(r.network, r.parameters, r.batch, inputs, Arithmetic{});
    const Emulated subject("", {mixture.drawn(r.network, random), {}});
    const Outputs y = caller.run(subject, r.network, r.parameters, r.batch, inputs);
    const OutputBounds b = analysis.output(0);
    bool any = false;
    for (std::size_t j = 0; j < b.sound.size(); ++j)
      any = any || (b.judgement[j] == Judgement::usable &&
                    std::fabs(y.values[0][j] - b.reference[j]) > b.sound[j]);
    beyond += any;
  }
  EXPECT_GT(beyond, 10);
}

}  // namespace
}  // namespace ulpfuzz::bounds
