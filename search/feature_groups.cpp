#include "feature_groups.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace ulpfuzz::search {
namespace {

bool moves(Op op) {
  return op == Op::concat || op == Op::reshape || op == Op::slice || op == Op::pad;
}

bool computes(Op op) { return op != Op::input && op != Op::parameter && !moves(op); }

Product product_of(const Network& network, const Node& node, std::size_t batch) {
  const Shape& a = network.node(node.args[0]).shape;
  const std::size_t entries = network.entries(node, batch);
  if (node.op == Op::linear) return {entries * node.shape.rows, node.shape.cols, a.cols};
  return {node.shape.rows, node.shape.cols, node.transpose_a ? a.rows : a.cols};
}

}  // namespace

Product largest_product(const Case& c) {
  Product largest;
  std::size_t most = 0;
  for (const Node& node : c.network.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    const Product p = product_of(c.network, node, c.batch());
    const std::size_t work = p.m * p.n * p.k;
    if (work <= most) continue;
    most = work;
    largest = p;
  }
  return largest;
}

TierKind tier_kind(const Verdict& verdict) {
  if (verdict.worst.tier == Tier::probabilistic) return TierKind::probabilistic;
  return verdict.worst.tier == Tier::sound ? TierKind::sound : TierKind::other;
}

std::uint32_t op_number(const Case& c, const Verdict& verdict) {
  if (!verdict.first_op.empty()) {
    if (verdict.first_op.starts_with("derivative"))
      return static_cast<std::uint32_t>(Op::derivative);
    const auto op = op_from(verdict.first_op);
    return op ? static_cast<std::uint32_t>(*op) : op_numbers - 1;
  }
  if (c.network.outputs().empty()) return op_numbers - 1;
  const Node* node = &c.output_node();
  while (moves(node->op) && node->arity > 0) node = &c.network.node(node->args[0]);
  return static_cast<std::uint32_t>(node->op);
}

std::size_t depth(const Network& network) {
  thread_local std::vector<std::uint32_t> deep;
  deep.clear();
  std::uint32_t most = 0;
  for (const Node& node : network.nodes()) {
    std::uint32_t d = 0;
    for (const NodeId arg : node.operands()) d = std::max(d, deep[arg]);
    d += computes(node.op) ? 1 : 0;
    deep.push_back(d);
    most = std::max(most, d);
  }
  return most;
}

std::size_t width(const Network& network) {
  std::size_t most = 0;
  for (const Node& node : network.nodes())
    if (node.op != Op::parameter) most = std::max(most, node.shape.size());
  return most;
}

std::string_view name(ValueClass c) {
  static constexpr std::array<std::string_view, value_classes> names{
      "normal", "zero", "negative_zero", "subnormal", "huge", "tiny", "infinity", "nan"};
  const auto at = static_cast<std::size_t>(c);
  return at < names.size() ? names[at] : std::string_view();
}

}  // namespace ulpfuzz::search
