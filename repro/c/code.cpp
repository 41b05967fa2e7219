#include "code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace ulpfuzz::repro {
namespace {

/// Writes the statements of the nodes that an output needs.
class Writer {
 public:
  Writer(const Network& network, const Names& names) : network_(network), names_(names) {
    value_.resize(network.nodes().size());
  }

  Code write(std::size_t output) {
    const NodeId id = network_.outputs()[output];
    mark(id);
    for (NodeId i = 0; i <= id; ++i)
      if (needed_.count(i) != 0) visit(i);
    code_.output = value_[id];
    code_.output_node = &network_.node(id);
    code_.repeat = network_.repeat();
    return std::move(code_);
  }

 private:
  const Node& node(NodeId id) const { return network_.node(id); }

  void mark(NodeId id) {
    if (!needed_.emplace(id, true).second) return;
    for (const NodeId a : node(id).operands()) mark(a);
  }

  Size entries(Axis axis, std::size_t times = 1) const {
    if (axis == Axis::shared) return {0, times};
    return {(axis == Axis::batch ? 1 : network_.repeat()) * times, 0};
  }
  static Size number(std::size_t n) { return {0, n}; }

  void visit(NodeId id) {
    const Node& n = node(id);
    switch (n.op) {
      case Op::input:
        return input(id);
      case Op::parameter:
        value_[id] = names_.parameters[n.index];
        return;
      case Op::reshape:
        value_[id] = value_[n.args[0]];
        return;
      case Op::linear:
        return linear(id);
      case Op::matmul:
        return matmul(id);
      case Op::outer_sum:
        return outer_sum(id);
      case Op::sum_rows:
      case Op::batch_sum:
        return sum(id);
      default:
        return n.op == Op::concat || !(n.arity == 1 || n.arity == 0) ? pair(id) : single(id);
    }
  }

  void input(NodeId id) {
    const std::size_t index = node(id).index;
    value_[id] = index < names_.inputs.size() ? names_.inputs[index] : names_.cotangents;
    code_.inputs.push_back(value_[id]);
    code_.input_index.push_back(index);
  }

  void add(NodeId id, KernelId kernel, std::vector<std::string> arrays, std::vector<Size> sizes) {
    const Node& n = node(id);
    value_[id] = fmt::format("y{}", code_.statements.size());
    code_.statements.push_back(
        {value_[id], kernel, std::move(arrays), std::move(sizes), entries(n.axis, n.shape.size())});
  }

  static KernelId kernel(const Node& n) { return {.op = n.op, .of = n.of, .alpha = n.alpha}; }

  void linear(NodeId id) {
    const Node& n = node(id);
    KernelId k{.op = Op::linear, .bias = n.arity == 3};
    std::vector<std::string> arrays;
    for (const NodeId a : n.operands()) arrays.push_back(value_[a]);
    add(id, k, arrays,
        {entries(n.axis, n.shape.rows), number(node(n.args[0]).shape.cols), number(n.shape.cols)});
  }

  /// Entry e of an operand is at e / repeat * stride.
  std::pair<std::size_t, std::size_t> steps(NodeId operand, Axis axis) const {
    const Node& n = node(operand);
    if (n.axis == Axis::shared) return {0, 1};
    const bool repeats = n.axis == Axis::batch && axis == Axis::repeated;
    return {n.shape.size(), repeats ? std::max<std::size_t>(1, network_.repeat()) : 1};
  }

  void matmul(NodeId id) {
    const Node& n = node(id);
    const auto [a_stride, a_repeat] = steps(n.args[0], n.axis);
    const auto [b_stride, b_repeat] = steps(n.args[1], n.axis);
    const Shape left = node(n.args[0]).shape;
    const std::size_t k = n.transpose_a ? left.rows : left.cols;
    const bool one =
        b_stride == 0 && a_stride != 0 && a_repeat == 1 && (!n.transpose_a || n.shape.rows == 1);
    KernelId kernel{.op = Op::matmul,
                    .each = !one && n.axis != Axis::shared,
                    .transpose_a = !one && n.transpose_a,
                    .transpose_b = n.transpose_b};
    std::vector<Size> sizes;
    if (kernel.each) sizes.push_back(entries(n.axis));
    sizes.push_back(kernel.each ? number(n.shape.rows) : entries(n.axis, n.shape.rows));
    sizes.push_back(number(k));
    sizes.push_back(number(n.shape.cols));
    if (kernel.each)
      for (const std::size_t s : {a_stride, a_repeat, b_stride, b_repeat})
        sizes.push_back(number(s));
    add(id, kernel, {value_[n.args[0]], value_[n.args[1]]}, sizes);
  }

  /// The operand as a dense array of `shape` for each entry along `axis`.
  std::string dense(NodeId operand, Axis axis, Shape shape) {
    const Node& n = node(operand);
    const auto [stride, repeat] = steps(operand, axis);
    if ((n.axis == axis || (stride != 0 && repeat == 1)) && n.shape == shape)
      return value_[operand];
    const std::size_t step = n.shape.rows == shape.rows ? shape.cols : 0;
    const std::string name = fmt::format("{}_{}", value_[operand], ++spread_);
    code_.statements.push_back({name,
                                {.op = Op::add, .spread = true},
                                {value_[operand]},
                                {entries(axis), number(shape.rows), number(shape.cols),
                                 number(repeat), number(stride), number(step)},
                                entries(axis, shape.size())});
    return name;
  }

  void outer_sum(NodeId id) {
    const Node& n = node(id);
    const Node& a = node(n.args[0]);
    const Node& b = node(n.args[1]);
    const Axis axis = std::max(a.axis, b.axis);
    const std::string left = dense(n.args[0], axis, a.shape);
    const std::string right = dense(n.args[1], axis, b.shape);
    add(id, kernel(n), {left, right},
        {entries(axis, a.shape.rows), number(n.shape.rows), number(n.shape.cols)});
  }

  void sum(NodeId id) {
    const Node& n = node(id);
    const Node& x = node(n.args[0]);
    if (n.op == Op::batch_sum)
      return add(id, kernel(n), {value_[n.args[0]]}, {entries(x.axis), number(n.shape.size())});
    if (x.shape.rows == 1) {
      value_[id] = value_[n.args[0]];
      return;
    }
    add(id, kernel(n), {value_[n.args[0]]},
        {entries(n.axis), number(x.shape.rows), number(x.shape.cols)});
  }

  /// Two operands: elementwise, concat, and Jacobians times a vector.
  void pair(NodeId id) {
    const Node& n = node(id);
    const Size rows = entries(n.axis, n.shape.rows);
    if (n.op == Op::concat) {
      const Shape a = node(n.args[0]).shape;
      const Shape b = node(n.args[1]).shape;
      const std::string left = dense(n.args[0], n.axis, a);
      const std::string right = dense(n.args[1], n.axis, b);
      return add(id, kernel(n), {left, right}, {rows, number(a.cols), number(b.cols)});
    }
    const std::string left = dense(n.args[0], n.axis, n.shape);
    const std::string right = dense(n.args[1], n.axis, n.shape);
    if (n.op == Op::add || n.op == Op::mul)
      return add(id, kernel(n), {left, right}, {entries(n.axis, n.shape.size())});
    add(id, kernel(n), {left, right}, {rows, number(n.shape.cols)});
  }

  /// One operand or none.
  void single(NodeId id) {
    const Node& n = node(id);
    const Size rows = entries(n.axis, n.shape.rows);
    const std::size_t cols = n.shape.cols;
    if (n.op == Op::basis)
      return add(id, kernel(n), {},
                 {entries(n.axis), number(n.shape.size()), number(network_.repeat())});
    const NodeId x = n.args[0];
    switch (n.op) {
      case Op::softmax:
      case Op::layer_norm:
      case Op::rms_norm:
        return add(id, kernel(n), {value_[x]}, {rows, number(cols)});
      case Op::slice:
      case Op::pad: {
        const std::string from = dense(x, n.axis, node(x).shape);
        return add(id, kernel(n), {from},
                   {rows, number(node(x).shape.cols), number(n.index), number(cols)});
      }
      case Op::unit_tangents: {
        const std::string from = dense(x, Axis::batch, node(x).shape);
        return add(
            id, kernel(n), {from},
            {entries(Axis::batch), number(n.shape.rows), number(node(x).shape.cols), number(cols)});
      }
      default:
        return add(id, kernel(n), {value_[x]}, {entries(n.axis, n.shape.size())});
    }
  }

  const Network& network_;
  const Names& names_;
  std::vector<std::string> value_;
  std::map<NodeId, bool> needed_;
  int spread_ = 0;
  Code code_;
};

}  // namespace

std::string Size::text() const {
  if (per_batch == 0) return std::to_string(constant);
  std::string text = per_batch == 1 ? "batch" : fmt::format("batch * {}", per_batch);
  if (constant != 0) text += fmt::format(" + {}", constant);
  return text;
}

Code code_of(const Network& network, std::size_t output, const Names& names) {
  return Writer(network, names).write(output);
}

}  // namespace ulpfuzz::repro
