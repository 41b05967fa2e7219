#include <gtest/gtest.h>

#include <chrono>

#include "tiny_cases.hpp"

namespace ulpfuzz::generators {
namespace {

void fill(Tensor& tensor, bool ones) {
  SeedSource random(5, tensor.data.size());
  for (float& x : tensor.data) {
    const auto bits = static_cast<float>(random.below(1 << 20));
    x = ones ? static_cast<float>(random.below(2)) : bits * 0x1p-18f - 2;
  }
}

Case tower(std::uint32_t width, int depth, std::uint32_t batch, bool residual, bool ones) {
  Case c;
  Network& net = c.network;
  NodeId x = net.input(width);
  for (int d = 0; d < depth; ++d) {
    const NodeId y = net.activation(Op::tanh, net.linear(x, net.parameter(width, width)));
    x = residual ? net.add(x, y) : y;
    c.parameters.emplace_back(width, width);
    fill(c.parameters.back(), ones);
  }
  net.output(x);
  c.inputs.emplace_back(batch, width);
  fill(c.inputs[0], ones);
  for (std::uint32_t r = 0; r < batch; ++r) c.split.push_back(Slice{{r}, 0});
  return c;
}

Case concatenations(int count) {
  Case c;
  Network& net = c.network;
  NodeId x = net.input(2);
  for (int i = 0; i < count; ++i) {
    const NodeId y = net.concat(x, net.activation(Op::tanh, x));
    const std::uint32_t cols = net.node(y).shape.cols, rows = i % 2 == 0 ? 2 : 3;
    x = net.linear(y, net.parameter(rows, cols));
    c.parameters.emplace_back(rows, cols);
  }
  net.output(x);
  c.inputs.emplace_back(3, 2);
  return c;
}

// The time is generous: builds differ, machines are busy. Lists that copy tensors or that grow with
// the square of the nodes need seconds.
void expect_short(const Case& c, const std::string& what) {
  std::size_t total = 0;
  const auto start = std::chrono::steady_clock::now();
  for (const Pass& pass : passes()) {
    const std::size_t count = pass.edits(c, {0, 0, {}}).size();
    EXPECT_LT(count, 10'000u) << pass.name << " of " << what;
    total += count;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_GT(total, 100u) << what;
  EXPECT_LT(time.count(), 0.5) << what;
  testing::Test::RecordProperty(what, std::to_string(time.count() * 1000) + " ms");
}

TEST(Passes, StayShortAndQuickForBigCases) {
  expect_short(tower(129, 6, 129, false, false), "wide");
  expect_short(tower(129, 6, 129, false, true), "ones");
  expect_short(tower(64, 2, 10'000, true, false), "batch");
  expect_short(tower(64, 2, 10'000, true, true), "batch of ones");
  expect_short(tower(4, 250, 3, false, false), "deep");
  expect_short(tower(4, 250, 3, true, false), "residual");
  expect_short(concatenations(250), "concatenations");
}

}  // namespace
}  // namespace ulpfuzz::generators
