#include "ulpfuzz/network/layered_arithmetic.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz {
namespace {

using Layer = std::optional<std::size_t>;

// input 0; layer 0: nodes 1..3; relu 4; layer 1: nodes 5..7
Network two_layers() {
  Network n;
  const NodeId x = n.input(3);
  const NodeId w0 = n.parameter(4, 3), b0 = n.parameter(1, 4);
  const NodeId h = n.activation(Op::relu, n.linear(x, w0, b0));
  const NodeId w1 = n.parameter(2, 4), b1 = n.parameter(1, 2);
  n.output(n.linear(h, w1, b1));
  return n;
}

bool is_product(Op op) { return op == Op::linear || op == Op::matmul || op == Op::outer_sum; }

TEST(LayeredArithmetic, HasOneArithmeticForAllButTheExceptions) {
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  LayeredArithmetic layered(Arithmetic{});
  layered.except.emplace_back(3, tf32);
  EXPECT_EQ(layered.at(2), Arithmetic{});
  EXPECT_EQ(layered.at(3), tf32);
  EXPECT_EQ(LayeredArithmetic(tf32).at(3), tf32);
}

TEST(LayersOf, CountsTheProductsOfAForwardNetworkInOrder) {
  const Network n = two_layers();
  EXPECT_EQ(layer_count(n), 2u);
  const auto layers = layers_of(n, n);
  ASSERT_EQ(layers.size(), n.nodes().size());
  std::size_t next = 0;
  for (NodeId id = 0; id < layers.size(); ++id)
    EXPECT_EQ(layers[id], n.node(id).op == Op::linear ? Layer(next++) : Layer());
  EXPECT_EQ(next, 2u);
}

TEST(LayersOf, CountsProductsOfTwoValuesToo) {
  Network n;
  const NodeId x = n.input(Shape{2, 3});
  const NodeId scores = n.matmul(x, x, false, true);
  const NodeId values = n.linear(x, n.parameter(3, 3));
  n.output(n.matmul(scores, values));
  EXPECT_EQ(layer_count(n), 3u);
  const auto layers = layers_of(n, n);
  EXPECT_EQ(layers[scores], Layer(0));
  EXPECT_EQ(layers[values], Layer(1));
  EXPECT_EQ(layers[n.outputs()[0]], Layer(2));
}

// Each product of a gradient belongs to the layer whose weight it reads or makes the gradient of.
TEST(LayersOf, FindsTheLayerOfEachProductOfAGradient) {
  const Network forward = two_layers();
  for (const Reduction reduction : {Reduction::per_row, Reduction::batch_sum}) {
    const Network n = vjp(forward, 1, reduction);
    const auto layers = layers_of(n, forward);
    for (NodeId id = 0; id < layers.size(); ++id)
      EXPECT_EQ(layers[id].has_value(), is_product(n.node(id).op)) << id;
    EXPECT_EQ(layers[n.outputs()[0]], Layer(0));  // dx = W0^T g
    EXPECT_EQ(layers[n.outputs()[1]], Layer(0));  // dW0
    EXPECT_EQ(layers[n.outputs()[3]], Layer(1));  // dW1
    std::multiset<std::size_t> seen;
    for (const Layer& layer : layers)
      if (layer) seen.insert(*layer);
    // The last layer's own product is not needed for gradients.
    EXPECT_EQ(seen, (std::multiset<std::size_t>{0, 0, 0, 1, 1}));
  }
}

TEST(LayersOf, FindsTheLayersOfTangents) {
  const Network forward = two_layers();
  const Network n = jvp(forward, 0);
  const auto layers = layers_of(n, forward);
  std::multiset<std::size_t> seen;
  for (const Layer& layer : layers)
    if (layer) seen.insert(*layer);
  EXPECT_EQ(seen, (std::multiset<std::size_t>{0, 0, 1}));
}

TEST(LayersOf, KeepsTheOrderOfLayersThatShareAWeight) {
  Network forward;
  const NodeId x = forward.input(3), w = forward.parameter(3, 3);
  const NodeId first = forward.linear(x, w);
  const NodeId second = forward.linear(forward.activation(Op::tanh, first), w);
  forward.output(second);
  const Network n = vjp(forward);
  const auto layers = layers_of(n, forward);
  std::vector<std::size_t> in_order;
  for (const Layer& layer : layers)
    if (layer) in_order.push_back(*layer);
  // z of the first layer; then the products with the shared weight and its gradients.
  EXPECT_EQ(in_order, (std::vector<std::size_t>{0, 0, 0, 0, 0}));
  EXPECT_EQ(layers_of(forward, forward)[second], Layer(1));
}

// What is left out of the network moves everything behind it.
TEST(LayersOf, FollowsNodesThatMoved) {
  Network forward;
  const NodeId x = forward.input(3);
  const NodeId w0 = forward.parameter(3, 3), w1 = forward.parameter(3, 3);
  const NodeId h = forward.linear(x, w0);
  const NodeId scaled = forward.linear(h, w1);  // its value is not needed, but what follows is
  const NodeId gate = forward.activation(Op::tanh, h);
  forward.output(forward.add(scaled, gate));
  const Network n = vjp(forward);
  const auto layers = layers_of(n, forward);
  std::size_t forward_products = 0;
  for (NodeId id = 0; id < layers.size(); ++id) {
    if (n.node(id).op != Op::linear) continue;
    EXPECT_EQ(layers[id], Layer(0));
    ++forward_products;
  }
  EXPECT_EQ(forward_products, 1u);
  EXPECT_EQ(layers[n.outputs()[1]], Layer(0));
  EXPECT_EQ(layers[n.outputs()[2]], Layer(1));
}

}  // namespace
}  // namespace ulpfuzz
