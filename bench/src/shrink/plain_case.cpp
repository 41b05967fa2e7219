#include "shrink/plain_case.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>

namespace ulpfuzz::bench {
namespace {

Tensor corner(const Tensor& from, std::uint32_t rows, std::uint32_t cols) {
  Tensor to(rows, cols);
  for (std::uint32_t r = 0; r < std::min(rows, from.rows); ++r)
    std::copy_n(from.row(r).data(), std::min(cols, from.cols), to.row(r).data());
  return to;
}

class Maker {
 public:
  explicit Maker(const PlainCase& plain)
      : plain_(plain), old_(plain.origin->network), now_(old_.nodes().size(), gone) {}

  Case make() {
    for (const PlainCase::Layer& layer : plain_.layers) append(layer.id);
    result_.network.output(resolve(old_.outputs().front()));
    Tensor cotangents = plain_.numbers.back();
    const auto width = static_cast<std::uint32_t>(result_.output_width());
    result_.cotangents = cotangents.cols == 0 ? Tensor() : corner(cotangents, plain_.batch, width);
    result_.split = plain_.split;
    for (Slice& slice : result_.split)
      std::erase_if(slice.rows, [this](std::uint32_t row) { return row >= plain_.batch; });
    result_.layout = {static_cast<std::uint8_t>(plain_.offsets[0]),
                      static_cast<std::uint8_t>(plain_.offsets[1])};
    Case pruned = prune(result_);
    validate(pruned);
    return pruned;
  }

 private:
  static constexpr NodeId gone = ~NodeId{0};

  NodeId resolve(NodeId id) const {
    while (now_[id] == gone) {
      if (old_.node(id).arity == 0) throw std::invalid_argument("an input is gone");
      id = old_.node(id).args[0];
    }
    return now_[id];
  }

  void append(NodeId id) {
    Node node = old_.node(id);
    if (node.op == Op::input) {
      node.shape.cols = plain_.widths[id];
      now_[id] = result_.network.append(node);
      const Tensor& from = plain_.numbers[old_.parameters().size() + node.index];
      result_.inputs.push_back(
          corner(from, plain_.batch, static_cast<std::uint32_t>(node.shape.size())));
      return;
    }
    for (int i = 0; i < node.arity; ++i) {
      const NodeId from = node.args[static_cast<std::size_t>(i)];
      if (old_.node(from).op == Op::parameter && now_[from] == gone) add_parameter(from, id, i);
    }
    for (int i = 0; i < node.arity; ++i) {
      NodeId& arg = node.args[static_cast<std::size_t>(i)];
      arg = resolve(arg);
    }
    now_[id] = result_.network.append(node);
  }

  void add_parameter(NodeId id, NodeId user, int operand) {
    const Shape shape = shape_for(id, old_.node(user), operand);
    now_[id] = result_.network.parameter(shape.rows, shape.cols);
    result_.parameters.push_back(
        corner(plain_.numbers[old_.node(id).index], shape.rows, shape.cols));
  }

  Shape shape_for(NodeId id, const Node& user, int operand) const {
    const Shape was = old_.node(id).shape;
    if (user.op == Op::linear && operand == 1)
      return {plain_.widths[id], result_.network.node(resolve(user.args[0])).shape.cols};
    if (user.op == Op::linear && operand == 2)
      return {1, result_.network.node(now_[user.args[1]]).shape.rows};
    const NodeId other = user.args[operand == 0 ? 1 : 0];
    if (user.op == Op::matmul) return shape_in_product(id, user, operand);
    const Shape like = result_.network.node(resolve(other)).shape;
    return was.rows == 1 ? Shape{1, like.cols} : like;
  }

  Shape shape_in_product(NodeId id, const Node& user, int operand) const {
    const Shape other = result_.network.node(resolve(user.args[operand == 0 ? 1 : 0])).shape;
    const std::uint32_t free = plain_.widths[id];
    if (operand == 1) {
      const std::uint32_t inner = user.transpose_a ? other.rows : other.cols;
      return user.transpose_b ? Shape{free, inner} : Shape{inner, free};
    }
    const std::uint32_t inner = user.transpose_b ? other.cols : other.rows;
    return user.transpose_a ? Shape{inner, free} : Shape{free, inner};
  }

  const PlainCase& plain_;
  const Network& old_;
  std::vector<NodeId> now_;
  Case result_;
};

std::uint32_t free_width(const Network& network, NodeId id) {
  const Node& node = network.node(id);
  if (node.op == Op::input) return node.shape.cols;
  if (node.op != Op::parameter) return 0;
  for (const Node& user : network.nodes()) {
    if (user.op != Op::matmul) continue;
    if (user.args[0] == id) return user.transpose_a ? node.shape.cols : node.shape.rows;
    if (user.args[1] == id) return user.transpose_b ? node.shape.rows : node.shape.cols;
  }
  return node.shape.rows;
}

}  // namespace

PlainCase plain_case(const Case& c) {
  PlainCase plain;
  plain.origin = &c;
  for (NodeId id = 0; id < c.network.nodes().size(); ++id) {
    if (c.network.node(id).op != Op::parameter) plain.layers.push_back({id});
    plain.widths.push_back(free_width(c.network, id));
  }
  plain.batch = static_cast<std::uint32_t>(c.batch());
  plain.split = c.split;
  plain.offsets = {c.layout.batch_offset, c.layout.slice_offset};
  plain.numbers = c.parameters;
  plain.numbers.insert(plain.numbers.end(), c.inputs.begin(), c.inputs.end());
  plain.numbers.push_back(c.cotangents);
  return plain;
}

std::optional<Case> make(const PlainCase& plain) {
  try {
    return Maker(plain).make();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace ulpfuzz::bench
