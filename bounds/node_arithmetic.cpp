#include "node_arithmetic.hpp"

#include <stdexcept>
#include <string>

#include "conditional.hpp"

namespace ulpfuzz::bounds {
namespace {

NodeArithmetic node_arithmetic(const Arithmetic& a, bool conditional) {
  NodeArithmetic n;
  n.stated = a;
  // Nobody knows which products convert.
  conditional = conditional && !a.mixed;
  n.converts = conditional && converts_operands(a) && a.split != Split::bf16x9;
  Arithmetic rules = a;
  if (n.converts && a.split != Split::none) {
    // The walk multiplies pieces, each an operand of its own.
    rules.operand = operand_format(a);
    rules.split = Split::none;
  }
  n.model = model_of(rules);
  if (n.converts) {
    take_conversions_as_done(n.model);
    n.model.copies = static_cast<int>(Conversion::of(a, true, false).copies.size());
  }
  const Arithmetic plain = plain_products(a);
  if (a.mixed && (n.model.general || a.accumulate != plain.accumulate))
    n.plain = std::make_shared<const NodeArithmetic>(node_arithmetic(plain, false));
  // What is to be rounded once more is as wide as the wider of both leaves it.
  const Arithmetic& results = a.mixed && fits(a.accumulate, plain.accumulate) ? plain : a;
  n.keep = narrowing_to(a.keep, results, conditional);
  // Intermediate results of fp64 stay that.
  if (!(traits(a.keep).precision < traits(Format::fp32).precision)) n.keep.active = false;
  n.store = narrowing_to(a.store, results, conditional);
  return n;
}

bool is_product(Op op) { return op == Op::linear || op == Op::matmul || op == Op::outer_sum; }

// A product without a sum.
bool is_outer(const Network& network, const Node& node, std::size_t batch) {
  if (node.op == Op::linear) return false;
  const Node& a = network.node(node.args[0]);
  if (node.op == Op::outer_sum) return network.entries(a, batch) * a.shape.rows == 1;
  return (node.transpose_a ? a.shape.rows : a.shape.cols) == 1;
}

}  // namespace

bool computes(Op op) {
  switch (op) {
    case Op::input:
    case Op::parameter:
    case Op::concat:
    case Op::reshape:
    case Op::slice:
    case Op::pad:
    case Op::basis:
    case Op::unit_tangents:
      return false;
    default:
      return true;
  }
}

bool NodeArithmetic::converts_operands_of(const Network& network, const Node& node,
                                          std::size_t batch) const {
  return converts && is_product(node.op) &&
         (stated.outer_by_matmul || !is_outer(network, node, batch));
}

bool NodeArithmetic::can_differ(const Network& network, const Node& node, std::size_t batch) const {
  const bool spared = !stated.outer_by_matmul && stated.accumulate == Format::fp32;
  return is_product(node.op) && !(spared && is_outer(network, node, batch));
}

void NodeArithmetics::set(const LayeredArithmetic& arithmetic, std::size_t nodes,
                          bool conditional) {
  const bool known =
      ready_ && conditional == conditional_ && everywhere_.stated == arithmetic.everywhere;
  if (!known) everywhere_ = node_arithmetic(arithmetic.everywhere, conditional);
  ready_ = true;
  conditional_ = conditional;
  keeps_ = everywhere_.keep.active;
  converts_ = everywhere_.converts;
  own_.clear();
  if (arithmetic.except.empty()) return;
  index_.assign(nodes, 0);
  for (const auto& [id, a] : arithmetic.except) {
    if (id >= nodes || index_[id] != 0)
      throw std::invalid_argument(
          "Analysis: arithmetic for node " + std::to_string(id) +
          (id >= nodes ? " of " + std::to_string(nodes) : " twice; one would fit"));
    own_.push_back(node_arithmetic(a, conditional));
    index_[id] = own_.size();
    keeps_ = keeps_ || own_.back().keep.active;
    converts_ = converts_ || own_.back().converts;
  }
}

const NodeArithmetic& NodeArithmetics::at(NodeId id) const {
  if (own_.empty() || index_[id] == 0) return everywhere_;
  return own_[index_[id] - 1];
}

bool NodeArithmetics::keeps(const Network& network, NodeId id) const {
  if (!keeps_ || !at(id).keep.active) return false;
  const Node& node = network.node(id);
  if (!computes(node.op)) return false;
  const NodeId from = node.args[0];
  return node.op != Op::relu || !keeps(network, from) ||
         !fits(at(from).keep.format, at(id).keep.format);
}

}  // namespace ulpfuzz::bounds
