#include <gtest/gtest.h>

#include <cmath>

#include "gpu/simt_profiles.hpp"
#include "subjects/trials.hpp"
#include "support/stand_in_source.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz {
namespace {

using stand_in::Control;
using trials::Trial;
using Values = std::vector<std::vector<float>>;

// Calls use(trial) for all examples and their derivatives.
template <class Use>
void each_network(std::initializer_list<std::size_t> batches, const Use& use) {
  unsigned seed = 1;
  for (const examples::Example& example : examples::all())
    for (const Network& network : trials::with_derivatives(example.network))
      for (const std::size_t batch : batches) {
        use(Trial(network, batch, seed++));
        if (testing::Test::HasFatalFailure()) return;
      }
}

void expect_same(const Values& got, const Values& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t o = 0; o < got.size(); ++o) {
    ASSERT_EQ(got[o].size(), expected[o].size());
    for (std::size_t i = 0; i < got[o].size(); ++i)
      ASSERT_TRUE(same_bits(got[o][i], expected[o][i]))
          << what << " output " << o << " [" << i << "]: " << got[o][i] << " for "
          << expected[o][i];
  }
}

double blas_tolerance(const gpu::BlasSettings& settings) {
  if (settings.operand != Format::fp32) return 16 * traits(settings.operand).unit_roundoff();
  return settings.mode == kernels::MathMode::tf32 ? 16 * 0x1p-11 : 1e-5;
}

class EveryBlas : public testing::TestWithParam<gpu::NamedBlas> {};

// Values are of size 1. A few masks of relu flip where operands are rounded.
TEST_P(EveryBlas, ComputesEveryOpForwardAndBackwardOnTheStandIn) {
  const auto control = std::make_shared<Control>();
  const auto subject = stand_in::blas_subject(GetParam(), control);
  const double within = blas_tolerance(GetParam().settings);
  std::size_t compared = 0, far = 0;
  each_network({1, 3}, [&](const Trial& trial) {
    const auto expected = trial.expected();
    const Values got = trial.run(*subject);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t o = 0; o < got.size(); ++o) {
      ASSERT_EQ(got[o].size(), expected[o].size());
      for (std::size_t i = 0; i < got[o].size(); ++i, ++compared)
        far += !(std::abs(got[o][i] - expected[o][i]) <= within * (1 + std::abs(expected[o][i])));
    }
    if (within == 1e-5) {
      ASSERT_EQ(far, 0u) << describe(trial.network) << " batch " << trial.batch;
    }
  });
  EXPECT_GT(compared, 20000u);
  EXPECT_LE(far, compared / 1000);
  EXPECT_GT(control->count(stand_in::Call::blas), 1000u);
  EXPECT_EQ(control->faults, std::vector<std::string>{});
}

TEST_P(EveryBlas, ComputesNetworksOfNoWidthAndNoRows) {
  const auto control = std::make_shared<Control>();
  const auto subject = stand_in::blas_subject(GetParam(), control);
  const double within = blas_tolerance(GetParam().settings);
  std::size_t compared = 0;
  for (const std::vector<std::uint32_t>& widths :
       {std::vector<std::uint32_t>{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {0, 0}})
    for (const Network& network : trials::with_derivatives(trials::mlp(widths, Op::softplus)))
      for (const std::size_t batch : {0, 1, 3}) {
        const Trial trial(network, batch, 5);
        const auto expected = trial.expected();
        const Values got = trial.run(*subject);
        for (std::size_t o = 0; o < got.size(); ++o)
          for (std::size_t i = 0; i < got[o].size(); ++i, ++compared)
            ASSERT_NEAR(got[o][i], expected[o][i], within * (1 + std::abs(expected[o][i])))
                << describe(network) << " batch " << batch;
      }
  EXPECT_GT(compared, 100u);
}

// Several at once on several streams, which the stand-in serves in any order.
TEST_P(EveryBlas, GivesTheSameBitsInGroupsOnStreams) {
  const auto control = std::make_shared<Control>();
  const auto subject = stand_in::blas_subject(GetParam(), control);
  std::vector<Trial> trials;
  for (unsigned i = 0; i < 9; ++i)
    trials.emplace_back(trials::mlp({20 + i, 17, 5}, Op::relu), 3 + i % 2, i + 1);
  std::vector<Values> alone, together;
  std::vector<std::vector<const float*>> inputs;
  std::vector<std::vector<float*>> outputs;
  for (const Trial& trial : trials) {
    alone.push_back(trial.run(*subject));
    together.push_back({std::vector<float>(alone.back()[0].size())});
    inputs.push_back(trial.input_pointers());
  }
  for (Values& values : together) outputs.push_back({values[0].data()});
  for (int repeat = 0; repeat < 5; ++repeat) {
    std::vector<Evaluation> group;
    for (std::size_t i = 0; i < trials.size(); ++i)
      group.push_back(
          {trials[i].network, trials[i].parameters, trials[i].batch, inputs[i], outputs[i]});
    subject->evaluate_each(group);
    for (std::size_t i = 0; i < trials.size(); ++i)
      expect_same(together[i], alone[i], "evaluation " + std::to_string(i));
    if (HasFatalFailure()) return;
  }
  EXPECT_EQ(control->faults, std::vector<std::string>{});
}

std::string profile_name(const testing::TestParamInfo<gpu::NamedBlas>& test) {
  std::string name(test.param.name);
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(BlasSubjects, EveryBlas,
                         testing::ValuesIn(gpu::blas_profiles().begin(),
                                           gpu::blas_profiles().end()),
                         profile_name);

TEST(GpuSubject, OnTheStandInGivesTheBitsThatItGivesOnTheHost) {
  for (const gpu::SimtProfile& profile : gpu::simt_profiles()) {
    if (profile.order != kernels::BlockOrder::ascending) continue;
    const auto control = std::make_shared<Control>();
    const auto host = gpu::make_gpu_subject("host", profile.make(), gpu::host_source());
    const auto there = gpu::make_gpu_subject("stand-in", profile.make(), stand_in::source(control));
    std::size_t networks = 0;
    each_network({2}, [&](const Trial& trial) {
      expect_same(trial.run(*there), trial.run(*host),
                  std::string(profile.name) + ": " + describe(trial.network));
      ++networks;
    });
    EXPECT_GT(networks, 200u);
    EXPECT_EQ(control->faults, std::vector<std::string>{}) << profile.name;
  }
}

}  // namespace
}  // namespace ulpfuzz
