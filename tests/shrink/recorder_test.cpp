#include <gtest/gtest.h>

#include "shrink/judges.hpp"
#include "ulpfuzz/subjects/registry.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

namespace ulpfuzz {
namespace {

/// relu(x0 W0), which is then multiplied by x1 and by W1: neither is there yet at the relu.
Case late_inputs() {
  Case c;
  Network& net = c.network;
  const NodeId x0 = net.input(2);
  const NodeId w0 = net.parameter(3, 2);
  const NodeId h = net.activation(Op::relu, net.linear(x0, w0));
  const NodeId x1 = net.input(3);
  const NodeId w1 = net.parameter(2, 3);
  net.output(net.linear(net.mul(h, x1), w1));
  c.parameters = {Tensor(3, 2), Tensor(2, 3)};
  c.parameters[0].data = {1, 2, -3, 1, 0.5f, 0};
  c.parameters[1].data = {1, 0, 0, 0, 1, 1};
  c.inputs = {Tensor(2, 2), Tensor(2, 3)};
  c.inputs[0].data = {1, 2, 4, 8};
  c.inputs[1].data = {1, 1, 1, 2, 2, 2};
  c.split = {Slice{{0, 1}, 0}};
  validate(c);
  return c;
}

TEST(Recorder, GivesTheValuesOfEachNode) {
  const generators::Activations values = recorder();
  const Case c = late_inputs();
  EXPECT_EQ(values(c, 2), (std::vector<float>{5, -1, 0.5f, 20, -4, 2})) << "linear";
  EXPECT_EQ(values(c, 3), (std::vector<float>{5, 0, 0.5f, 20, 0, 2})) << "relu";
  EXPECT_EQ(values(c, 6), (std::vector<float>{5, 0, 0.5f, 40, 0, 4})) << "mul";
  EXPECT_EQ(values(c, 7), (std::vector<float>{5, 0.5f, 40, 4})) << "output";
}

TEST(Recorder, HasNothingWhereNoRowHasAValue) {
  EXPECT_TRUE(recorder()(late_inputs(), 1).empty()) << "a parameter";
}

/// What is recorded may be what the fault needs: here numbers that only the first layer makes.
TEST(Recorder, LetsAPrefixGoThatMakesWhatTheFaultNeeds) {
  Case start = two_layers(6, 4, 3);
  std::ranges::fill(start.inputs[0].data, 0x1p40f);
  const generators::Activations values = recorder();
  const Judge judge = [&](const Case& c) {
    for (const Node& node : c.network.nodes()) {
      if (node.op != Op::linear) continue;
      const NodeId x = node.args[0];
      const std::vector<float> of_input =
          c.network.node(x).op == Op::input ? c.inputs[c.network.node(x).index].data : values(c, x);
      if (std::ranges::any_of(of_input, [](float v) { return v > 0x1p41f; })) return failure();
    }
    return Verdict{};
  };
  ASSERT_TRUE(judge(start).failed());
  ShrinkOptions options;
  options.activations = values;
  const ShrinkResult r = shrink(start, judge, options);
  EXPECT_EQ(r.value.network.nodes().size(), 3u) << describe(r.value);
}

}  // namespace
}  // namespace ulpfuzz
