#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "cost.hpp"
#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {
namespace {

// Rows and columns count beside elements, so that a matrix of no columns shrinks too; so do feature
// rows of inputs beyond the first.
std::uint64_t features(const Case& c) {
  std::uint64_t total = c.cotangents.cols;
  for (const NodeId id : c.network.inputs())
    total += std::max(c.network.node(id).shape.rows, 1u) - 1;
  for (const Tensor& t : c.parameters) total += t.data.size() + t.rows + t.cols;
  for (const Tensor& t : c.inputs) total += t.cols;
  return total;
}

// Signed integers in the order of the numbers: NaN beyond the infinities, -0 below +0.
std::int32_t in_order(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}

constexpr std::uint32_t plain_nan = 0x7fc00000;

}  // namespace

ElementCost element_cost(float x) {
  const std::uint64_t negative = std::signbit(x) ? 1 : 0;
  if (x == 0) return {0, 0, 0, negative};
  if (x == 1) return {0, 1, 1, 0};
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
  if (std::isnan(x)) return {1, bits == plain_nan ? 1024u : 1025u, 1, negative};
  if (std::isinf(x)) return {1, 512, 1, negative};
  const std::uint32_t significand = (bits & 0x7fffffu) | (bits >> 23 != 0 ? 0x800000u : 0u);
  const int significant = std::bit_width(significand) - std::countr_zero(significand);
  const int exponent = bits >> 23 != 0 ? static_cast<int>(bits >> 23) - 127
                                       : static_cast<int>(std::bit_width(bits)) - 150;
  return {1, static_cast<std::uint64_t>(significant + std::abs(exponent)),
          static_cast<std::uint64_t>(std::popcount(significand)), negative};
}

ValuesCost values_cost(std::span<const float> values) {
  ValuesCost total{};
  std::int32_t before = values.empty() ? 0 : in_order(values.front());
  for (const float x : values) {
    const std::int32_t now = in_order(x);
    total[4] += now != before ? 1 : 0;
    total[5] += now < before ? 1 : 0;
    before = now;
    if (now == 0) continue;
    const ElementCost cost = element_cost(x);
    for (std::size_t i = 0; i < cost.size(); ++i) total[i] += cost[i];
  }
  return total;
}

SplitCost split_cost(std::span<const Slice> split, std::size_t batch) {
  // No slice leaves it open what is compared: harder to think about than one, as is a slice of
  // nothing.
  if (split.empty()) return {batch, 2, 2, 0, batch, 0, 0};
  SplitCost cost{batch, split.size(), 0, 0, batch, split.front().rows.size(), 0};
  bool first = true;
  std::uint32_t expected = 0;
  std::uint64_t evaluated = 0;
  for (const Slice& slice : split) {
    const std::uint64_t call = slice.rows.size() + std::uint64_t{slice.padding};
    evaluated += call;
    cost[2] += slice.rows.empty() ? call + 2 : call;
    for (const std::uint32_t row : slice.rows) {
      cost[3] += row != expected && !first ? 1 : 0;
      expected = row + 1;
      first = false;
    }
    cost[5] = std::min<std::uint64_t>(cost[5], slice.rows.size());
    cost[6] += slice.padding;
  }
  cost[0] = std::max(cost[0], evaluated);
  return cost;
}

std::uint64_t op_rank(Op op) {
  switch (op) {
    case Op::input:
    case Op::parameter:
      return 0;
    case Op::relu:
      return 1;
    case Op::reshape:
    case Op::add:
      return 2;
    case Op::linear:
    case Op::concat:
    case Op::mul:
    case Op::leaky_relu:
      return 3;
    case Op::matmul:
    case Op::tanh:
      return 4;
    case Op::sigmoid:
      return 5;
    default:
      return is_activation(op) ? 6 : 7;
  }
}

float usual_alpha(Op op) {
  switch (op) {
    case Op::leaky_relu:
      return 0.01f;
    case Op::elu:
      return 1;
    case Op::layer_norm:
    case Op::rms_norm:
      return 1e-5f;
    default:
      return 0;
  }
}

std::uint64_t node_rank(const Node& node) {
  const bool bias = node.op == Op::linear && node.arity == 3;
  return op_rank(node.op) + (bias ? 1 : 0) + (node.alpha != usual_alpha(node.op) ? 1 : 0);
}

std::vector<std::uint64_t> complexity(const Case& c) {
  ValuesCost values{};
  const auto add = [&](const Tensor& tensor) {
    const ValuesCost cost = values_cost(tensor.data);
    for (std::size_t i = 0; i < cost.size(); ++i) values[i] += cost[i];
  };
  std::ranges::for_each(c.parameters, add);
  const std::uint64_t in_parameters = values[0];
  std::ranges::for_each(c.inputs, add);
  add(c.cotangents);
  std::uint64_t rank = 0;
  for (const Node& node : c.network.nodes()) rank += node_rank(node);
  const SplitCost split = split_cost(c.split, c.batch());
  const std::uint64_t offsets = std::uint64_t{c.layout.batch_offset} + c.layout.slice_offset;
  std::vector<std::uint64_t> numbers{c.network.nodes().size(), features(c)};
  numbers.insert(numbers.end(), split.begin(), split.end());
  numbers.back() += offsets;
  numbers.push_back(rank);
  numbers.insert(numbers.end(), values.begin(), values.end());
  numbers.push_back(in_parameters);
  return numbers;
}

std::span<const std::string_view> complexity_names() {
  static constexpr std::array<std::string_view, 17> names{"nodes",
                                                          "features",
                                                          "rows of the larger side",
                                                          "slices",
                                                          "rows in slices",
                                                          "breaks of order",
                                                          "batch rows",
                                                          "smallest slice",
                                                          "padding and offsets",
                                                          "rank of ops",
                                                          "numbers not 0, 1",
                                                          "bits and exponents",
                                                          "set bits",
                                                          "negative signs",
                                                          "unequal neighbours",
                                                          "descents",
                                                          "numbers in parameters"};
  return names;
}

}  // namespace ulpfuzz::generators
