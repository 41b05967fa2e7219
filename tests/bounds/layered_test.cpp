#include <gtest/gtest.h>

#include <stdexcept>

#include "bounds/arithmetics.hpp"
#include "bounds/campaign.hpp"
#include "bounds/mlp.hpp"

namespace ulpfuzz::bounds {
namespace {

using testing::all_in;
using testing::kept_in;
using testing::matmul_in;
using testing::Mlp;

TEST(Layered, EveryNodeIsBoundedInItsOwnArithmetic) {
  const std::vector<Arithmetic> others = {matmul_in(Format::tf32),          all_in(Format::bf16),
                                          matmul_in(Format::fp16),          kept_in(Format::bf16),
                                          testing::split_in(Split::bf16x3), Arithmetic{}};
  for (const Arithmetic& everywhere : {Arithmetic{}, matmul_in(Format::bf16)})
    for (const bool gradients : {false, true}) {
      const testing::Tally t = testing::run_campaign(
          gradients ? 60 : 300, 4,
          {.everywhere = everywhere, .others = others, .gradients = gradients}, 21);
      EXPECT_EQ(t.violations, 0u);
      EXPECT_GT(t.judged, 10'000u);
      EXPECT_GT(t.sound_share, 0.3);
    }
}

struct LayerBounds {
  std::vector<double> first, last;
};

// Of the first and the last layer's results.
LayerBounds bounds_of(const Mlp& mlp, const LayeredArithmetic& arithmetic) {
  Analysis analysis;
  Network n = mlp.network;
  n.output(3);  // input, weight, bias, linear
  const std::vector<const float*> inputs = {mlp.input.data()};
  analysis.run(n, mlp.parameters, 1, inputs, arithmetic);
  const auto first = analysis.output(1).sound;
  const auto last = analysis.output(0).sound;
  return {{first.begin(), first.end()}, {last.begin(), last.end()}};
}

TEST(Layered, AnExceptionChangesItsNodeAndWhatFollows) {
  const Mlp mlp({16, 16, 16, 4}, 1);
  const Arithmetic tf32 = matmul_in(Format::tf32);
  const NodeId output = mlp.network.outputs()[0];
  const LayerBounds plain = bounds_of(mlp, {}), all = bounds_of(mlp, tf32);
  LayeredArithmetic last(Arithmetic{}), first(Arithmetic{});
  last.except.emplace_back(output, tf32);
  first.except.emplace_back(3, tf32);
  EXPECT_EQ(bounds_of(mlp, last).first, plain.first);
  EXPECT_EQ(bounds_of(mlp, first).first, all.first);
  for (std::size_t i = 0; i < plain.last.size(); ++i) {
    EXPECT_GT(bounds_of(mlp, last).last[i], 20 * plain.last[i]);
    EXPECT_GT(bounds_of(mlp, first).last[i], 20 * plain.last[i]);
    EXPECT_LT(bounds_of(mlp, last).last[i], all.last[i]);
  }
}

TEST(Layered, AnExceptionEqualToTheRuleChangesNothing) {
  const Mlp mlp({16, 16, 16, 4}, 2);
  LayeredArithmetic same(matmul_in(Format::tf32));
  for (NodeId id = 0; id < mlp.network.nodes().size(); ++id)
    same.except.emplace_back(id, same.everywhere);
  EXPECT_EQ(bounds_of(mlp, same).last, bounds_of(mlp, same.everywhere).last);
}

TEST(Layered, OutputsAreStoredByTheArithmeticOfTheirNode) {
  const Mlp mlp({4, 4}, 3);
  LayeredArithmetic stored(Arithmetic{});
  stored.except.emplace_back(mlp.network.outputs()[0], testing::stored_in(Format::bf16));
  const LayerBounds plain = bounds_of(mlp, {}), narrow = bounds_of(mlp, stored);
  for (std::size_t i = 0; i < plain.last.size(); ++i)
    EXPECT_GT(narrow.last[i], 1000 * plain.last[i]);
}

TEST(Layered, RefusesExceptionsForNoNodeOrTwiceForOne) {
  const Mlp mlp({4, 4}, 3);
  LayeredArithmetic wrong;
  wrong.except.emplace_back(99, Arithmetic{});
  EXPECT_THROW(bounds_of(mlp, wrong), std::invalid_argument);
  wrong.except = {{1, Arithmetic{}}, {1, Arithmetic{}}};
  EXPECT_THROW(bounds_of(mlp, wrong), std::invalid_argument);
}

TEST(Keep, RoundsEveryComputedResultOnceMore) {
  Network n;
  const NodeId x = n.input(2);
  const NodeId y = n.activation(Op::relu, n.add(x, x));
  n.output(y);
  n.output(n.reshape(x, {2, 1}));
  Analysis analysis;
  const std::vector<float> input = {1, 1 + 0x1p-8f};
  const std::vector<const float*> inputs = {input.data()};
  analysis.run(n, {}, 1, inputs, kept_in(Format::bf16));
  const OutputBounds sum = analysis.output(0);
  EXPECT_EQ(sum.judgement[0], Judgement::exact);  // 2 is a bf16
  // 2 + 2^-7 lies in the middle of two; relu changes nothing, but its rounding is counted again.
  EXPECT_GE(sum.sound[1], 0x1p-7);
  EXPECT_LE(sum.sound[1], 0x1p-7 + 2.02 * 0x1p-8);
  EXPECT_EQ(analysis.output(1).judgement[1], Judgement::exact);  // moved, not rounded
}

TEST(Keep, IsCheckedForTheRangeOfItsFormat) {
  Network n;
  const NodeId x = n.input(3);
  n.output(n.add(x, x));
  Analysis analysis;
  const std::vector<float> input = {40000, 32759, 32760.2f};
  const std::vector<const float*> inputs = {input.data()};
  analysis.run(n, {}, 1, inputs, kept_in(Format::fp16));
  const OutputBounds y = analysis.output(0);
  EXPECT_EQ(y.judgement[0], Judgement::nonfinite);
  EXPECT_EQ(y.judgement[2], Judgement::range);
}

}  // namespace
}  // namespace ulpfuzz::bounds
