#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tiny_cases.hpp"

namespace ulpfuzz::generators {
namespace {

using testing::Each;
using testing::ElementsAre;

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names;
  for (const Pass& pass : passes()) names.push_back(pass.name);
  return names;
}

TEST(Passes, GoFromCoarseToFine) {
  EXPECT_THAT(pass_names(),
              ElementsAre("policy", "truncate suffix", "freeze prefix", "single op", "delete ops",
                          "rows", "splits", "output columns", "widths", "trade", "activations",
                          "whole tensors", "zeroing", "rounding", "pairs", "layout"));
  for (const Pass& pass : passes()) EXPECT_FALSE(pass.what.empty()) << pass.name;
}

TEST(Policy, DropsWhatIsNoPartOfTheComputation) {
  Case c = mlp(3);
  c.layout = {3, 5};
  c.split = {Slice{{2}, 4}, Slice{{1, 0}, 0}};
  EXPECT_TRUE(after("policy", "no cotangents", c).cotangents.data.empty());
  EXPECT_EQ(after("policy", "aligned buffers", c).layout, Layout{});
  EXPECT_EQ(after("policy", "no padding", c).split[0].padding, 0u);
  const Case ordered = after("policy", "slices and rows in order", c);
  EXPECT_THAT(ordered.split[0].rows, ElementsAre(0, 1));
}

// The gradient at the op, of the network from there on: what its vjp, a network too, has for the
// op.
TEST(TruncateSuffix, PullsTheCotangentsBack) {
  const Case c = mlp(2);
  Focus focus;
  std::vector<std::size_t> asked;
  focus.activations = [&](const Case& of, NodeId id) {
    const Node& node = of.network.node(id);
    if (node.axis == Axis::repeated) asked = {of.inputs.size(), of.inputs.back().cols};
    return std::vector<float>(of.batch() * node.shape.size(), 6.5f);
  };
  const Case d = after("truncate suffix", "output := tanh 4, with its cotangents", c, focus);
  EXPECT_THAT(d.cotangents.data, testing::AllOf(testing::SizeIs(8), Each(6.5f)));
  EXPECT_THAT(asked, ElementsAre(2, 2)) << "the op's values and the cotangents of the output";
}

TEST(FreezePrefix, CarriesTheRecordedActivations) {
  const Case c = mlp(2);
  Focus focus;
  focus.activations = [](const Case& of, NodeId id) {
    std::vector<float> values(of.batch() * of.network.node(id).shape.size());
    std::iota(values.begin(), values.end(), 0x1p100f);
    values.back() = INFINITY;
    return values;
  };
  const Case d = after("freeze prefix", "tanh 4 := its values", c, focus);
  ASSERT_EQ(d.network.nodes().size(), 3u);
  ASSERT_EQ(d.inputs.size(), 1u);
  EXPECT_EQ(d.inputs[0].cols, 4u);
  EXPECT_EQ(d.inputs[0].data, focus.activations(c, 4));
  EXPECT_EQ(d.cotangents.data, c.cotangents.data);
  const Case all = after("freeze prefix", "linear 6 := its values", c, focus);
  EXPECT_EQ(all.network.nodes().size(), 1u);
  EXPECT_EQ(all.inputs[0].data, focus.activations(c, 6));
}

TEST(FreezePrefix, TriesNormalValuesAfterTheRecordedOnes) {
  const Case c = mlp(2);
  EXPECT_EQ(find(edits_of("freeze prefix", c), "tanh 4 := its values"), nullptr);
  Focus focus;
  focus.activations = [](const Case&, NodeId) { return std::vector<float>(); };
  const auto edits = edits_of("freeze prefix", c, focus);
  const Edit* recorded = find(edits, "tanh 4 := its values");
  const Edit* normal = find(edits, "tanh 4 := normal input");
  ASSERT_NE(recorded, nullptr);
  ASSERT_NE(normal, nullptr);
  EXPECT_LT(recorded, normal);
  EXPECT_TRUE(identical(recorded->apply(), normal->apply())) << "where nothing is known";
}

TEST(FreezePrefix, LeavesOpsWhoseOperandsOthersNeed) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(2), h = net.activation(Op::tanh, x);
  net.output(net.add(net.activation(Op::relu, h), h));
  c.inputs = {Tensor(1, 2)};
  const auto edits = edits_of("freeze prefix", c);
  EXPECT_EQ(find(edits, "relu 2 := normal input"), nullptr) << "tanh is needed all the same";
  EXPECT_NE(find(edits, "tanh 1 := normal input"), nullptr);
}

TEST(SingleOp, IsReluOfWhatTheOutputIs) {
  const Case c = mlp(2);
  Focus focus;
  focus.activations = [](const Case&, NodeId) { return std::vector<float>{1, -2, 3, -4}; };
  const Case d = after("single op", "only relu of the output", c, focus);
  ASSERT_EQ(d.network.nodes().size(), 2u);
  EXPECT_THAT(d.inputs[0].data, ElementsAre(1, -2, 3, -4));
  const Case e = after("single op", "only relu of the magnitudes of the output", c, focus);
  EXPECT_THAT(e.inputs[0].data, ElementsAre(1, 2, 3, 4));
}

TEST(DeleteOps, MakesOneParameterOfTwo) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(2), v = net.parameter(2, 2), w = net.parameter(2, 2);
  net.output(net.linear(net.linear(x, v), w));
  c.inputs = {Tensor(1, 2)};
  c.parameters = {Tensor(2, 2, {1, 2, 3, 4}), Tensor(2, 2, {5, 6, 7, 8})};
  const Case d = after("delete ops", "parameter 2 = parameter 1", c);
  ASSERT_EQ(d.parameters.size(), 1u);
  EXPECT_THAT(d.parameters[0].data, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(d.network.nodes().size(), 4u);
}

TEST(Rows, KeepTheFailingRowAndAimTheSliceAtIt) {
  Case c = linear(40, 1, 1);
  std::iota(c.inputs[0].data.begin(), c.inputs[0].data.end(), 0.0f);
  const Case d = after("rows", "17 rows with row 37", c, {37, 0, {}});
  ASSERT_EQ(d.batch(), 17u);
  EXPECT_EQ(d.inputs[0].data.front(), 0);
  EXPECT_EQ(d.inputs[0].data.back(), 37);
  EXPECT_THAT(d.split[0].rows, ElementsAre(16));
  const Case alone = after("rows", "only row 37", c, {37, 0, {}});
  EXPECT_THAT(alone.inputs[0].data, ElementsAre(37));
  EXPECT_EQ(after("rows", "no rows", linear(1, 1, 1)).batch(), 0u);
}

TEST(Splits, TurnPaddingIntoRowsOfTheBatch) {
  Case c = linear(2, 1, 1);
  c.split = {Slice{{1}, 7}};
  const Case d = after("splits", "padding -> rows of the batch, one slice: the last row", c);
  EXPECT_EQ(d.batch(), 8u);
  EXPECT_THAT(d.split[0].rows, ElementsAre(7));
  EXPECT_EQ(d.split[0].padding, 0u);
}

TEST(OutputColumns, KeepTheFailingOne) {
  Case c = linear(1, 1, 5);
  std::iota(c.parameters[0].data.begin(), c.parameters[0].data.end(), 0.0f);
  const Case d = after("output columns", "only output column 3", c, {0, 3, {}});
  EXPECT_THAT(d.parameters[0].data, ElementsAre(3));
}

TEST(Widths, KeepASquareWeightSquare) {
  const Case c = linear(1, 9, 9);
  const Case d = after("widths", "all widths to 2", c);
  ASSERT_EQ(d.parameters.size(), 1u);
  EXPECT_EQ(d.parameters[0].rows, 2u);
  EXPECT_EQ(d.parameters[0].cols, 2u);
}

TEST(Widths, GoDownToNoTermsAtAll) {
  const Case c = linear(3, 1, 2);
  const Case d = after("widths", "no columns of input 0", c);
  ASSERT_EQ(d.parameters.size(), 1u);
  EXPECT_EQ(d.parameters[0].cols, 0u);
  EXPECT_EQ(d.inputs[0].cols, 0u);
  EXPECT_EQ(d.batch(), 3u);
  EXPECT_EQ(d.output_width(), 2u);
}

TEST(Widths, TryTheInnerDimensionLast) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(5), h = net.linear(x, net.parameter(7, 5));
  net.output(net.softmax(net.mul(h, net.parameter(1, 7))));
  c.inputs = {Tensor(1, 5)};
  c.parameters = {Tensor(7, 5), Tensor(1, 7)};
  const auto edits = edits_of("widths", c);
  ASSERT_FALSE(edits.empty());
  EXPECT_THAT(edits.back().name, testing::HasSubstr("of input 0"));
}

TEST(Trade, TurnsFeatureRowsIntoBatchRows) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input({3, 2}), w = net.parameter(1, 2);
  net.output(net.linear(x, w));
  c.inputs = {Tensor(2, 6, {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15})};
  c.parameters = {Tensor(1, 2)};
  c.split = {Slice{{1}, 0}};
  const auto edits = edits_of("trade", c);
  const Edit* edit = find(edits, "feature rows of input 0 -> batch rows");
  ASSERT_NE(edit, nullptr);
  const Case d = edit->apply();
  EXPECT_THAT(d.inputs[0].data, ElementsAre(0, 1, 10, 11, 2, 3, 12, 13, 4, 5, 14, 15));
  EXPECT_EQ(d.batch(), 6u);
  EXPECT_EQ(d.output_width(), 1u);
  EXPECT_THAT(d.split[0].rows, ElementsAre(1, 3, 5));
  const Case aimed = after("trade", edit->name, c, {0, 2, {}});
  EXPECT_THAT(aimed.split[0].rows, ElementsAre(4)) << "feature row 2 of row 0";
}

TEST(Trade, TurnsFeatureRowsIntoColumnsWhereOpsDoNotCare) {
  Case c;
  c.network.output(c.network.activation(Op::relu, c.network.input({2, 3})));
  c.inputs = {Tensor(1, 6, {1, 2, 3, 4, 5, 6})};
  const Case d = after("trade", "feature rows -> columns", c);
  EXPECT_EQ(d.output_node().shape, (Shape{1, 6}));
  EXPECT_EQ(d.inputs[0].data, c.inputs[0].data);
}

TEST(Activations, BecomeReluAndOtherSimplerOps) {
  Case c = relu_of({1, 2});
  Network net;
  net.output(net.activation(Op::gelu_erf, net.input(2)));
  c.network = net;
  EXPECT_EQ(after("activations", "gelu_erf 1 -> relu", c).output_node().op, Op::relu);
  EXPECT_EQ(after("activations", "gelu_erf 1 -> tanh", c).output_node().op, Op::tanh);
  Network leaky;
  leaky.output(leaky.activation(Op::leaky_relu, leaky.input(2), 0.7f));
  c.network = leaky;
  EXPECT_EQ(after("activations", "usual parameter of leaky_relu 1", c).output_node().alpha, 0.01f);
  const Case d = after("activations", "linear 2 -> relu of input 0", linear(2, 3, 1));
  EXPECT_EQ(d.network.nodes().size(), 2u);
  EXPECT_EQ(d.output_width(), 3u);
}

}  // namespace
}  // namespace ulpfuzz::generators
