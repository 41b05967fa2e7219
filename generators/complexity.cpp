#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "cost.hpp"
#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {
namespace {

void add(ElementCost& total, const Tensor& tensor) {
  for (const float x : tensor.data) {
    const ElementCost cost = element_cost(x);
    for (std::size_t i = 0; i < cost.size(); ++i) total[i] += cost[i];
  }
}

// Rows and columns count beside elements, so that a matrix of no columns shrinks too.
std::uint64_t features(const Case& c) {
  std::uint64_t total = c.cotangents.cols;
  for (const Tensor& t : c.parameters) total += t.data.size() + t.rows + t.cols;
  for (const Tensor& t : c.inputs) total += t.cols;
  return total;
}

}  // namespace

ElementCost element_cost(float x) {
  const std::uint64_t negative = std::signbit(x) ? 1 : 0;
  if (x == 0) return {0, 0, negative};
  if (std::isnan(x)) return {1, 1024, negative};
  if (std::isinf(x)) return {1, 512, negative};
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x) & 0x7fffffffu;
  const std::uint32_t significand = (bits & 0x7fffffu) | (bits >> 23 != 0 ? 0x800000u : 0u);
  const int significant = std::bit_width(significand) - std::countr_zero(significand);
  return {x == 1 ? 0u : 1u, static_cast<std::uint64_t>(significant + std::abs(std::ilogb(x))),
          negative};
}

SplitCost split_cost(std::span<const Slice> split) {
  SplitCost cost{split.size(), 0, 0, 0, 0};
  std::size_t smallest = split.empty() ? 0 : split.front().rows.size();
  std::uint32_t expected = 0;
  for (const Slice& slice : split) {
    // A slice of nothing is harder to think about than a row.
    cost[1] += slice.rows.empty() ? 2 : slice.rows.size();
    for (const std::uint32_t row : slice.rows) {
      cost[2] += row != expected ? 1 : 0;
      expected = row + 1;
    }
    smallest = std::min(smallest, slice.rows.size());
    cost[4] += slice.padding;
  }
  cost[3] = smallest;
  return cost;
}

std::uint64_t op_rank(Op op) {
  switch (op) {
    case Op::input:
    case Op::parameter:
      return 0;
    case Op::reshape:
    case Op::relu:
    case Op::add:
      return 1;
    case Op::linear:
    case Op::concat:
    case Op::mul:
    case Op::leaky_relu:
      return 2;
    case Op::matmul:
      return 3;
    default:
      return is_activation(op) ? 3 : 4;
  }
}

std::vector<std::uint64_t> complexity(const Case& c) {
  ElementCost elements{};
  for (const Tensor& t : c.parameters) add(elements, t);
  for (const Tensor& t : c.inputs) add(elements, t);
  add(elements, c.cotangents);
  std::uint64_t rank = 0;
  for (const Node& node : c.network.nodes()) rank += op_rank(node.op);
  const SplitCost split = split_cost(c.split);
  const std::uint64_t offsets = std::uint64_t{c.layout.batch_offset} + c.layout.slice_offset;
  return {c.network.nodes().size(),
          features(c),
          c.batch(),
          split[0],
          split[1],
          split[2],
          split[3],
          split[4] + offsets,
          rank,
          elements[0],
          elements[1],
          elements[2]};
}

std::span<const std::string_view> complexity_names() {
  static constexpr std::array<std::string_view, 12> names{
      "nodes",           "features",         "batch rows",         "slices",
      "rows in slices",  "breaks of order",  "smallest slice",     "padding and offsets",
      "rank of ops",     "numbers not 0, 1", "bits and exponents", "negative signs"};
  return names;
}

}  // namespace ulpfuzz::generators
