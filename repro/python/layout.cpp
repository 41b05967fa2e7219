#include "layout.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace ulpfuzz::repro {
namespace {

/// A product of rows and a shared matrix: the one that vectors have, too.
bool is_row_product(const Network& network, const Node& node) {
  return !node.transpose_a && network.node(node.args[0]).axis != Axis::shared &&
         network.node(node.args[1]).axis == Axis::shared;
}

bool has_matrices(const Network& network) {
  for (const Node& node : network.nodes()) {
    if (node.axis != Axis::shared && node.shape.rows != 1) return true;
    if (node.op == Op::matmul && !is_row_product(network, node)) return true;
  }
  return false;
}

/// Names by role, numbered where there are several; `parameter`: the index of a node's, if it is
/// one.
class Namer {
 public:
  explicit Namer(const Network& network)
      : network_(network),
        names_(network.parameters().size()),
        named_(names_.size()),
        vector_(names_.size(), true) {}

  void run(PythonLayout& layout) {
    for (const char role : {'W', 'b', 'P'}) name_role(role);
    for (const Node& node : network_.nodes()) note_uses(node);
    layout.parameters = names_;
    layout.is_vector = vector_;
  }

 private:
  /// 'W' weights of linear, 'b' their biases, 'P' what else there is.
  static char role(const Node& node, std::size_t operand) {
    if (node.op != Op::linear) return 'P';
    return operand == 1 ? 'W' : operand == 2 ? 'b' : 'P';
  }

  void name_role(char wanted) {
    std::vector<std::uint32_t> found;
    for (const Node& node : network_.nodes()) {
      for (std::size_t i = 0; i < node.arity; ++i) {
        const Node& operand = network_.node(node.args[i]);
        if (operand.op != Op::parameter || role(node, i) != wanted) continue;
        if (named_[operand.index]) continue;
        named_[operand.index] = true;
        found.push_back(operand.index);
      }
    }
    const std::string stem = wanted == 'b' ? "bias" : std::string(1, wanted);
    for (std::size_t i = 0; i < found.size(); ++i)
      names_[found[i]] = found.size() == 1 ? stem : fmt::format("{}{}", stem, i);
  }

  void note_uses(const Node& node) {
    for (std::size_t i = 0; i < node.arity; ++i) {
      const Node& operand = network_.node(node.args[i]);
      if (operand.op != Op::parameter) continue;
      const bool row = operand.shape.rows == 1 &&
                       (role(node, i) == 'b' || node.op == Op::add || node.op == Op::mul);
      if (!row) vector_[operand.index] = false;
    }
  }

  const Network& network_;
  std::vector<std::string> names_;
  std::vector<bool> named_, vector_;
};

}  // namespace

std::vector<std::size_t> PythonLayout::row_dims(Shape shape) const {
  return matrices ? std::vector<std::size_t>{shape.rows, shape.cols}
                  : std::vector<std::size_t>{shape.cols};
}

std::vector<std::size_t> PythonLayout::parameter_dims(Shape shape, std::size_t index) const {
  return is_vector[index] ? std::vector<std::size_t>{shape.cols}
                          : std::vector<std::size_t>{shape.rows, shape.cols};
}

PythonLayout python_layout(const Network& network) {
  PythonLayout layout;
  layout.matrices = has_matrices(network);
  const std::size_t inputs = network.inputs().size();
  for (std::size_t i = 0; i < inputs; ++i)
    layout.inputs.push_back(inputs == 1 ? "x" : fmt::format("x{}", i));
  Namer(network).run(layout);
  return layout;
}

std::string python_index(std::size_t element, const std::vector<std::size_t>& dims) {
  std::vector<std::string> index(dims.size());
  for (std::size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = std::to_string(element % dims[axis]);
    element /= dims[axis];
  }
  return joined(index);
}

}  // namespace ulpfuzz::repro
