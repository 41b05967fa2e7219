#include "ulpfuzz/network/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "support/example_networks.hpp"

namespace ulpfuzz {
namespace {

void expect_refused(const std::function<void()>& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

void expect_node(const Network& n, NodeId id, Shape shape, Axis axis) {
  EXPECT_EQ(n.at(id).shape, shape) << name(n.at(id).op);
  EXPECT_EQ(n.at(id).axis, axis) << name(n.at(id).op);
}

TEST(Op, EachHasItsOwnNameAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (int i = 0; i < op_count; ++i) {
    names.insert(name(Op(i)));
    EXPECT_EQ(op_from(name(Op(i))), Op(i));
  }
  EXPECT_EQ(names.size(), op_count);
  EXPECT_EQ(name(Op::unit_tangents), "unit_tangents");
  EXPECT_EQ(name(Op::gelu_erf), "gelu_erf");
  EXPECT_EQ(name(Op(op_count)), "unknown op");
  EXPECT_FALSE(op_from("Relu"));
  EXPECT_FALSE(op_from(""));
}

TEST(Op, ActivationsAreReluToElu) {
  EXPECT_TRUE(is_activation(Op::relu));
  EXPECT_TRUE(is_activation(Op::elu));
  EXPECT_FALSE(is_activation(Op::mul));
  EXPECT_FALSE(is_activation(Op::softmax));
}

TEST(Network, InfersTheShapeAndAxisOfEachOp) {
  Network n;
  n.set_repeat(6);
  const NodeId x = n.input(Shape{2, 3});
  const NodeId v = n.input(Shape{2, 3}, Axis::repeated);
  const NodeId w = n.parameter(4, 3);
  const NodeId b = n.parameter(1, 4);
  expect_node(n, w, {4, 3}, Axis::shared);
  expect_node(n, n.linear(x, w), {2, 4}, Axis::batch);
  expect_node(n, n.linear(v, w, b), {2, 4}, Axis::repeated);
  expect_node(n, n.matmul(x, w, false, true), {2, 4}, Axis::batch);
  expect_node(n, n.matmul(w, v, false, true), {4, 2}, Axis::repeated);
  expect_node(n, n.matmul(x, v, true, false), {3, 3}, Axis::repeated);
  expect_node(n, n.matmul(n.parameter(2, 4), x, true, false), {4, 3}, Axis::batch);
}

TEST(Network, InfersTheShapeAndAxisOfElementwiseOps) {
  Network n;
  const NodeId x = n.input(Shape{2, 3});
  const NodeId v = n.input(Shape{2, 3}, Axis::repeated);
  expect_node(n, n.add(x, x), {2, 3}, Axis::batch);
  expect_node(n, n.mul(x, v), {2, 3}, Axis::repeated);
  expect_node(n, n.add(n.parameter(1, 3), x), {2, 3}, Axis::batch);
  expect_node(n, n.mul(v, n.parameter(2, 3)), {2, 3}, Axis::repeated);
  expect_node(n, n.activation(Op::gelu_tanh, v), {2, 3}, Axis::repeated);
  expect_node(n, n.softmax(x), {2, 3}, Axis::batch);
  expect_node(n, n.layer_norm(x), {2, 3}, Axis::batch);
  expect_node(n, n.rms_norm(v), {2, 3}, Axis::repeated);
  expect_node(n, n.concat(x, v), {2, 6}, Axis::repeated);
  expect_node(n, n.reshape(x, Shape{6, 1}), {6, 1}, Axis::batch);
}

TEST(Network, InfersTheShapeAndAxisOfDerivativeOps) {
  Network n;
  n.set_repeat(12);
  const NodeId x = n.input(Shape{2, 3});
  const NodeId v = n.input(Shape{2, 3}, Axis::repeated);
  expect_node(n, n.derivative(Op::relu, x, 0), {2, 3}, Axis::batch);
  expect_node(n, n.softmax_grad(v, x), {2, 3}, Axis::repeated);
  expect_node(n, n.layer_norm_grad(x, x, 1e-5f), {2, 3}, Axis::batch);
  expect_node(n, n.rms_norm_grad(v, x, 1e-5f), {2, 3}, Axis::repeated);
  expect_node(n, n.slice(v, 1, 2), {2, 2}, Axis::repeated);
  expect_node(n, n.pad(x, 1, 5), {2, 5}, Axis::batch);
  expect_node(n, n.sum_rows(v), {1, 3}, Axis::repeated);
  const NodeId sum = n.batch_sum(v);
  expect_node(n, sum, {2, 3}, Axis::shared);
  const NodeId outer = n.outer_sum(v, n.slice(x, 0, 2));
  expect_node(n, outer, {3, 2}, Axis::shared);
  expect_node(n, n.add(sum, sum), {2, 3}, Axis::shared);
  expect_node(n, n.basis(Shape{4, 3}), {4, 3}, Axis::repeated);
  expect_node(n, n.basis(Shape{5, 12}), {5, 12}, Axis::repeated);
  expect_node(n, n.unit_tangents(x, 4), {2, 4}, Axis::repeated);
}

TEST(Network, CountsEntriesByAxis) {
  Network n;
  n.set_repeat(3);
  const NodeId x = n.input(2);
  const NodeId v = n.input(Shape{1, 2}, Axis::repeated);
  const NodeId w = n.parameter(1, 2);
  EXPECT_EQ(n.entries(n.at(x), 5), 5u);
  EXPECT_EQ(n.entries(n.at(v), 5), 15u);
  EXPECT_EQ(n.entries(n.at(w), 5), 1u);
  EXPECT_EQ(n.entries(n.at(v), 0), 0u);
}

TEST(Network, TakesEmptyShapesEverywhere) {
  Network n;
  const NodeId none = n.input(0u);
  const NodeId rows = n.input(Shape{0, 3});
  expect_node(n, n.linear(none, n.parameter(2, 0), n.parameter(1, 2)), {1, 2}, Axis::batch);
  expect_node(n, n.linear(rows, n.parameter(0, 3)), {0, 0}, Axis::batch);
  expect_node(n, n.layer_norm(none), {1, 0}, Axis::batch);
  expect_node(n, n.softmax(rows), {0, 3}, Axis::batch);
  expect_node(n, n.add(rows, n.parameter(1, 3)), {0, 3}, Axis::batch);
  expect_node(n, n.matmul(rows, rows, true, false), {3, 3}, Axis::batch);
  expect_node(n, n.concat(none, n.input(2)), {1, 2}, Axis::batch);
  expect_node(n, n.reshape(rows, Shape{1, 0}), {1, 0}, Axis::batch);
  expect_node(n, n.sum_rows(rows), {1, 3}, Axis::batch);
  expect_node(n, n.slice(none, 0, 0), {1, 0}, Axis::batch);
}

class Refusals : public testing::Test {
 protected:
  Network n;
  NodeId x = n.input(Shape{2, 3});
  NodeId v = n.input(Shape{2, 3}, Axis::repeated);
  NodeId w = n.parameter(4, 5);
  NodeId row = n.parameter(1, 3);
};

TEST_F(Refusals, OfLinear) {
  expect_refused([&] { n.linear(x, w); },
                 "linear: x is [2,3], the weight [4,5]; a weight [n,3] would fit");
  expect_refused([&] { n.linear(x, x); }, "linear: the weight is batch [2,3]; a shared value");
  expect_refused([&] { n.linear(row, w); }, "linear: the operand is shared [1,3]; a value per");
  const NodeId weight = n.parameter(4, 3);
  expect_refused([&] { n.linear(x, weight, row); },
                 "linear: the weight is [4,3], the bias [1,3]; a bias [1,4] would fit");
  expect_refused([&] { n.linear(x, weight, v); }, "linear: the bias is repeated [2,3]; a shared");
}

TEST_F(Refusals, OfMatmul) {
  expect_refused([&] { n.matmul(x, w); },
                 "matmul: the operands are [2,3] and [4,5] once transposed; a right operand [3,n]");
  expect_refused([&] { n.matmul(x, w, true, true); }, "are [3,2] and [5,4] once transposed");
  expect_refused([&] { n.matmul(w, w, false, true); },
                 "matmul: both operands are shared; one per batch row would fit");
}

TEST_F(Refusals, OfAddAndMul) {
  const NodeId one = n.input(Shape{1, 3});
  expect_refused([&] { n.add(x, w); },
                 "add: the operands are [2,3] and shared [4,5]; a shared [1,3] or [2,3] would fit");
  expect_refused([&] { n.mul(one, x); },
                 "mul: the operands are [1,3] and [2,3]; equal shapes would fit");
  expect_refused([&] { n.add(w, w); }, "add: both operands are shared; one per batch row");
  const NodeId sum = n.batch_sum(x);
  expect_refused([&] { n.mul(sum, sum); }, "mul: both operands are shared");
  expect_refused([&] { n.add(sum, n.batch_sum(one)); },
                 "add: the operands are [2,3] and [1,3]; equal shapes would fit");
}

TEST_F(Refusals, OfFunctionsAndTheirGradients) {
  const NodeId one = n.input(Shape{1, 3});
  expect_refused([&] { n.activation(Op::add, x); }, "activation: add is none; relu .. elu");
  expect_refused([&] { n.activation(Op::relu, row); }, "relu: the operand is shared [1,3]");
  expect_refused([&] { n.activation(Op::elu, x, std::numeric_limits<float>::infinity()); },
                 "elu: alpha is inf; a finite number would fit");
  expect_refused([&] { n.layer_norm(x, -1); }, "layer_norm: alpha is -1; a finite number of at");
  expect_refused([&] { n.derivative(Op::softmax, x, 0); }, "derivative: of softmax; an activation");
  expect_refused([&] { n.softmax_grad(v, one); },
                 "softmax_grad: v is [2,3], the other operand [1,3]; equal shapes would fit");
  expect_refused([&] { n.rms_norm_grad(v, x, std::nanf("")); }, "rms_norm_grad: epsilon is nan");
}

TEST_F(Refusals, OfColumnsAndSums) {
  const NodeId one = n.input(Shape{1, 3});
  expect_refused([&] { n.concat(x, one); },
                 "concat: the operands are [2,3] and [1,3]; equal feature rows would fit");
  expect_refused([&] { n.concat(x, row); }, "concat: the operand is shared [1,3]");
  expect_refused(
      [&] {
        n.reshape(x, Shape{1, 5});
      },
      "reshape: [2,3] to [1,5]; a shape of 6 elements would fit");
  expect_refused([&] { n.slice(x, 2, 2); },
                 "slice: 2 columns from column 2 of 3; columns inside it would fit");
  expect_refused([&] { n.slice(x, 4, 0); }, "slice: 0 columns from column 4 of 3");
  expect_refused([&] { n.pad(x, 3, 5); }, "pad: 3 columns from column 3 of 5");
  expect_refused([&] { n.sum_rows(w); }, "sum_rows: the operand is shared [4,5]");
  expect_refused([&] { n.outer_sum(x, one); }, "outer_sum: the operands are [2,3] and [1,3]");
  const NodeId wide = n.input(Shape{1, 0xffffffffu});
  expect_refused([&] { n.concat(wide, one); }, "columns are too many; less than 2^32 would fit");
}

TEST_F(Refusals, OfLeavesAndNodesThatDoNotExist) {
  expect_refused(
      [&] {
        n.input(Shape{1, 2}, Axis::shared);
      },
      "input: the axis is shared; batch or");
  expect_refused([&] { n.add(x, 99); }, "add: operand 99 does not exist; a node below 4 would fit");
  expect_refused([&] { n.output(99); }, "node 99 does not exist; a node below 4 would fit");
  expect_refused([&] { n.at(4); }, "node 4 does not exist");
  Node node;
  node.op = Op::add;
  node.arity = 1;
  expect_refused([&] { n.append(node); }, "add: 1 operands; 2 to 2 would fit");
  node.op = Op(op_count);
  expect_refused([&] { n.append(node); }, "unknown op");
}

TEST_F(Refusals, OfOneHotTangentsThatDoNotFitTheRepeat) {
  n.set_repeat(4);
  expect_refused(
      [&] {
        n.basis(Shape{2, 3});
      },
      "basis: of [2,3] in a network with repeat 4; repeat 6 or 3 would fit");
  expect_refused([&] { n.unit_tangents(x, 2); },
                 "unit_tangents: of [2,3] to [2,2] in a network with repeat 4; repeat 6 would fit");
  expect_refused([&] { n.unit_tangents(v, 2); }, "unit_tangents: h is repeated [2,3]; a batch");
  n.basis(Shape{2, 4});
  expect_refused([&] { n.set_repeat(3); }, "with repeat 3; repeat 8 or 4 would fit");
  n.set_repeat(8);
  EXPECT_EQ(n.repeat(), 8u);
}

TEST(Network, AttributesThatAnOpDoesNotReadMakeNoDifference) {
  Network plain, odd;
  plain.activation(Op::tanh, plain.input(2));
  Node node = plain.at(1);
  node.alpha = 3;
  node.index = 7;
  node.transpose_a = true;
  node.of = Op::elu;
  node.args[2] = 1;
  odd.input(2);
  odd.append(node);
  EXPECT_EQ(plain, odd);
}

TEST(Network, AppendRebuildsWhatTheMembersBuilt) {
  for (const auto& [name, network] : examples::all()) {
    Network again;
    for (const Node& node : network.nodes()) again.append(node);
    for (const NodeId id : network.outputs()) again.output(id);
    EXPECT_EQ(again, network) << name;
  }
}

TEST(Network, SlopesHaveTheCustomaryDefaults) {
  Network n;
  const NodeId x = n.input(2);
  EXPECT_EQ(n.at(n.activation(Op::leaky_relu, x)).alpha, 0.01f);
  EXPECT_EQ(n.at(n.activation(Op::elu, x)).alpha, 1.0f);
  EXPECT_EQ(n.at(n.activation(Op::relu, x)).alpha, 0.0f);
}

TEST(Network, IsDescribedInOneLine) {
  EXPECT_EQ(describe(examples::build::mlp()),
            "linear(2 -> 5)+bias, relu, linear(5 -> 4)+bias, relu, linear(4 -> 3)+bias");
  EXPECT_EQ(describe(examples::build::residual()),
            "linear(3 -> 3)+bias, relu, sigmoid(x), mul(#2, #3), add(x, #4), mul(#5, #5)");
  EXPECT_EQ(describe(examples::build::concat()),
            "tanh(x0), concat(x1, x0), concat(#1, #2), linear(7 -> 2)");
  EXPECT_EQ(describe(examples::build::matmul(true, false, 0)), "matmul(p0^T, x), tanh");
  EXPECT_EQ(describe(examples::build::identity()), "identity");
}

}  // namespace
}  // namespace ulpfuzz
