#include "ulpfuzz/runner/statistics.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "trial_subjects.hpp"
#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {
namespace {

using mutants::Scratch;
using testing::Each;
using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t at(Op op) { return static_cast<std::size_t>(op); }
std::size_t at(ValueClass c) { return static_cast<std::size_t>(c); }

Verdict passed(double share) {
  Verdict v;
  v.share = share;
  return v;
}

/// linear(3 -> 5), tanh of a batch of 2 in one slice.
Case small_case(std::vector<float> inputs) {
  Case c;
  const NodeId x = c.network.input(3);
  const NodeId w = c.network.parameter(5, 3);
  c.network.output(c.network.activation(Op::tanh, c.network.linear(x, w)));
  c.parameters.emplace_back(5, 3, std::vector<float>(15, 1.0f));
  c.inputs.emplace_back(2, 3, std::move(inputs));
  c.split = {{{0, 1}, 0}};
  return c;
}

TEST(ShareBin, IsAnOctaveEachBetweenTheEnds) {
  EXPECT_EQ(share_bin(0), 0u);
  EXPECT_EQ(share_bin(std::nan("")), 0u);
  EXPECT_EQ(share_bin(1e-300), 1u);
  EXPECT_EQ(share_bin(std::nextafter(0x1p-23, 0)), 1u);
  for (int k = -23; k <= 7; ++k) {
    const auto bin = static_cast<std::size_t>(k + 25);
    EXPECT_EQ(share_bin(std::ldexp(1.0, k)), bin);
    EXPECT_EQ(share_bin(std::nextafter(std::ldexp(2.0, k), 0)), bin);
    EXPECT_EQ(share_bin_name(bin), fmt::format("2^{} .. 2^{}", k, k + 1));
  }
  EXPECT_EQ(share_bin(256), share_bins - 1);
  EXPECT_EQ(share_bin(infinity), share_bins - 1);
  EXPECT_EQ(share_bin_name(0), "0");
  EXPECT_EQ(share_bin_name(1), "< 2^-23");
  EXPECT_EQ(share_bin_name(share_bins - 1), ">= 2^8");
}

TEST(SizeBin, HoldsTheSizesOfItsName) {
  std::vector<std::string> names;
  for (std::size_t bin = 0; bin < size_bins; ++bin) names.push_back(size_bin_name(bin));
  EXPECT_THAT(names, ElementsAre("1", "2", "3..4", "5..8", "9..16", "17..32", "33..64", "65..128",
                                 "129..256", "257.."));
  std::size_t bin = 0;
  for (const std::uint64_t last : {1, 2, 4, 8, 16, 32, 64, 128, 256}) {
    EXPECT_EQ(size_bin(last), bin);
    EXPECT_EQ(size_bin(last + 1), ++bin);
  }
  EXPECT_EQ(size_bin(~std::uint64_t{0}), size_bins - 1);
}

TEST(ValueClassName, IsUnique) {
  std::set<std::string_view> names;
  for (std::size_t c = 0; c < value_classes; ++c) names.insert(name(static_cast<ValueClass>(c)));
  EXPECT_EQ(names.size(), value_classes);
  EXPECT_EQ(name(static_cast<ValueClass>(value_classes)), "");
}

TEST(Statistics, CountEachOpAndClassOfValueOnceACase) {
  Statistics s;
  s.add(small_case({0.0f, 0.0f, -0.0f, 1e-40f, 0x1p64f, 0x1p-65f}), passed(0.25));
  EXPECT_EQ(s.ops[at(Op::input)], 1u);
  EXPECT_EQ(s.ops[at(Op::linear)], 1u);
  EXPECT_EQ(s.ops[at(Op::tanh)], 1u);
  EXPECT_EQ(std::accumulate(s.ops.begin(), s.ops.end(), 0u), 4u);
  EXPECT_THAT(s.values, ElementsAre(1, 1, 1, 1, 1, 1, 0, 0));
  s.add(small_case({1, 1, 1, INFINITY, -INFINITY, NAN}), passed(0.125));
  EXPECT_THAT(s.values, ElementsAre(2, 1, 1, 1, 1, 1, 1, 1));
  EXPECT_EQ(s.batches[size_bin(2)], 2u);
  EXPECT_EQ(s.slices[size_bin(1)], 2u);
  EXPECT_EQ(s.sizes[size_bin(2)][size_bin(5)], 2u);
  EXPECT_EQ(s.worst[size_bin(2)][size_bin(5)], 0.25);
}

TEST(Statistics, TellTheLimitsOfHugeAndTiny) {
  Statistics s;
  s.add(small_case({std::nextafter(0x1p64f, 0.0f), 0x1p-64f, 1, 1, 1, 1}), passed(0));
  EXPECT_THAT(s.values, ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
}

TEST(Statistics, TakeNoShareOfAFailureWithoutNumbers) {
  Verdict crash;
  crash.outcome = Outcome::fail;
  crash.failure = FailureClass::crash;
  crash.share = 1;
  EXPECT_FALSE(is_measured(crash));
  Statistics s;
  s.add(small_case({1, 1, 1, 1, 1, 1}), crash);
  EXPECT_EQ(s.sizes[size_bin(2)][size_bin(5)], 1u);
  EXPECT_THAT(s.worst, Each(Each(0.0)));
  crash.failure = FailureClass::beyond_bound;
  EXPECT_TRUE(is_measured(crash));
}

TEST(Statistics, AddUp) {
  Statistics a, b, both;
  const Case first = small_case({1, 1, 1, 1, 1, 1});
  const Case second = small_case({0, 1, 1, 1, 1, NAN});
  a.add(first, passed(0.5));
  b.add(second, passed(0.25));
  both.add(first, passed(0.5));
  both.add(second, passed(0.25));
  a.add(b);
  EXPECT_EQ(a.ops, both.ops);
  EXPECT_EQ(a.values, both.values);
  EXPECT_EQ(a.batches, both.batches);
  EXPECT_EQ(a.slices, both.slices);
  EXPECT_EQ(a.sizes, both.sizes);
  EXPECT_EQ(a.worst, both.worst);
}

CampaignResult counted_campaign(const Scratch& scratch, unsigned jobs) {
  CampaignOptions o;
  o.seed = 4;
  o.cases = 80;
  o.jobs = jobs;
  o.out = scratch / fmt::format("out-{}", jobs);
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 0;
  Registry subjects = mutants::only(std::make_unique<mutants::DropsLast>());
  subjects.merge(mutants::staged("crashing", [](const Evaluation& e) {
    if (e.batch == 9) raise(SIGABRT);
  }));
  return run_campaign(o, subjects);
}

TEST(Statistics, OfACampaignCountEachCaseWhateverTheWorkers) {
  const Scratch scratch;
  const CampaignResult r = counted_campaign(scratch, 1);
  EXPECT_EQ(r.statistics.ops[at(Op::input)], r.cases);
  std::uint64_t sizes = 0;
  for (const auto& row : r.statistics.sizes) sizes = std::accumulate(row.begin(), row.end(), sizes);
  EXPECT_EQ(sizes, r.cases);
  EXPECT_GT(r.statistics.values[at(ValueClass::normal)], 0u);
  std::uint64_t measured = 0;
  for (const PairCounts& p : r.pairs) {
    const auto judged = std::accumulate(p.shares.begin(), p.shares.end(), std::uint64_t{0});
    EXPECT_EQ(judged, p.subject == "crashing" ? p.pass : p.pass + p.fail);
    measured += judged;
  }
  EXPECT_GT(measured, 0u);
  EXPECT_LT(measured, r.cases);
  const CampaignResult again = counted_campaign(scratch, 3);
  EXPECT_EQ(again.statistics.ops, r.statistics.ops);
  EXPECT_EQ(again.statistics.sizes, r.statistics.sizes);
  EXPECT_EQ(again.statistics.worst, r.statistics.worst);
}

}  // namespace
}  // namespace ulpfuzz
