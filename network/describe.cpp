#include <fmt/format.h>

#include <vector>

#include "shape_rules.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz {
namespace {

// Operands are told only where they are not simply the value before: #n is the n-th op of the line.
class Line {
 public:
  explicit Line(const Network& network) : network_(network), numbers_(network.nodes().size()) {}

  std::string run() {
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      const Node& node = network_.node(id);
      if (node.op == Op::input || node.op == Op::parameter) continue;
      if (!text_.empty()) text_ += ", ";
      text_ += op(node);
      numbers_[id] = ++count_;
      before_ = id;
      started_ = true;
    }
    if (text_.empty()) return "identity";
    return text_;
  }

 private:
  std::string operand(NodeId id) const {
    const Node& node = network_.node(id);
    if (node.op == Op::parameter) return fmt::format("p{}", node.index);
    if (node.op != Op::input) return fmt::format("#{}", numbers_[id]);
    return network_.inputs().size() == 1 ? "x" : fmt::format("x{}", node.index);
  }

  bool follows(NodeId id) const {
    return started_ ? id == before_
                    : network_.node(id).op == Op::input && network_.inputs().size() == 1;
  }

  std::string size(const Node& node) const {
    const Shape in = network_.node(node.args[0]).shape;
    if (node.op == Op::linear) return fmt::format("{} -> {}", in.cols, node.shape.cols);
    if (node.op == Op::reshape) return to_string(in) + " -> " + to_string(node.shape);
    return {};
  }

  std::string op(const Node& node) const {
    std::string inside = node.arity == 0 ? to_string(node.shape) : size(node);
    const bool told = node.op == Op::linear
                          ? !follows(node.args[0])
                          : node.arity > 1 || (node.arity == 1 && !follows(node.args[0]));
    const std::size_t operands = node.op == Op::linear ? 1 : node.arity;
    for (std::size_t i = 0; told && i < operands; ++i) {
      inside += (i > 0 ? ", " : inside.empty() ? "" : ": ") + operand(node.args[i]);
      if (i == 0 ? node.transpose_a : node.transpose_b) inside += "^T";
    }
    std::string text(name(node.op));
    if (node.op == Op::derivative) text = fmt::format("{}'", name(node.of));
    if (!inside.empty()) text += "(" + inside + ")";
    if (node.op == Op::linear && node.arity == 3) text += "+bias";
    return text;
  }

  const Network& network_;
  std::vector<std::size_t> numbers_;
  std::string text_;
  std::size_t count_ = 0;
  NodeId before_ = 0;
  bool started_ = false;
};

}  // namespace

std::string describe(const Network& network) { return Line(network).run(); }

std::string describe(const Case& c) {
  constexpr std::size_t most = 12;
  std::string split;
  for (std::size_t i = 0; i < c.split.size() && i < most; ++i) {
    if (i > 0) split += "|";
    split += fmt::format("{}", c.split[i].rows.size());
    if (c.split[i].padding > 0) split += fmt::format("+{} padding", c.split[i].padding);
  }
  if (c.split.size() > most) split += fmt::format("|... ({} slices)", c.split.size());
  if (split.empty()) split = "none";
  return fmt::format("{}; batch {}; split {}", describe(c.network), c.batch(), split);
}

}  // namespace ulpfuzz
