#include "ulpfuzz/generators/dimensions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "draft.hpp"

namespace ulpfuzz::generators {
namespace {

/// What a class of dimensions is to the products that it takes part in, and to other nodes.
class Roles {
 public:
  Roles(const Network& network, const Draft& draft) : network_(network), draft_(draft) {}

  /// Classes whose size follows from others'.
  std::set<std::uint32_t> dependent() const {
    std::set<std::uint32_t> result;
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      const Node& node = network_.node(id);
      if (node.op == Op::concat) result.insert(draft_.column_class(id));
      if (node.op != Op::reshape) continue;
      const NodeId x = node.args[0];
      const Shape from = network_.node(x).shape;
      if (from == node.shape) continue;
      if (from.rows == 1) result.insert(draft_.column_class(x));
      if (node.shape.rows == 1) result.insert(draft_.column_class(id));
    }
    return result;
  }

  Dimension described(std::uint32_t id, NodeId node, bool rows) const {
    Dimension d;
    const Shape shape = network_.node(node).shape;
    d.size = rows ? shape.rows : shape.cols;
    d.kind = rows ? Dimension::Kind::rows : Dimension::Kind::columns;
    d.index = node;
    name(id, d);
    if (d.name.empty()) {
      d.name = fmt::format("{} of {}", rows ? "feature rows" : "width", label(node));
      d.symbol = rows ? "rows" : "width";
    }
    return d;
  }

 private:
  std::string label(NodeId id) const {
    return fmt::format("{} {}", ulpfuzz::name(network_.node(id).op), id);
  }

  void name(std::uint32_t id, Dimension& d) const {
    std::string inner;
    const auto add = [&](const char* what, NodeId node, const char* symbol) {
      if (!d.name.empty()) d.name += ", ";
      d.name += fmt::format("{} {}", what, label(node));
      if (d.symbol != "K") d.symbol = symbol;
    };
    for (NodeId node = 0; node < network_.nodes().size(); ++node) {
      const Node& n = network_.node(node);
      if (n.op == Op::linear) {
        if (draft_.column_class(n.args[0]) == id) add("inner dimension of", node, "K");
        if (draft_.column_class(node) == id) add("outputs of", node, "N");
      } else if (n.op == Op::matmul) {
        const std::uint32_t k =
            n.transpose_a ? draft_.row_class(n.args[0]) : draft_.column_class(n.args[0]);
        if (k == id) add("inner dimension of", node, "K");
        if (draft_.row_class(node) == id) add("rows of", node, "M");
        if (draft_.column_class(node) == id) add("columns of", node, "N");
      }
    }
  }

  const Network& network_;
  const Draft& draft_;
};

void add_features(const Network& network, std::vector<Dimension>& result) {
  Draft draft(network);
  draft.settle();
  const Roles roles(network, draft);
  std::set<std::uint32_t> seen = roles.dependent();
  const auto visit = [&](NodeId id, bool rows) {
    const std::uint32_t root = rows ? draft.row_class(id) : draft.column_class(id);
    if (seen.count(root) != 0) return;
    Dimension d = roles.described(root, id, rows);
    // One feature row is what a plain vector has; only a product makes something else of it.
    if (rows && d.size == 1 && d.symbol == "rows") return;
    seen.insert(root);
    result.push_back(std::move(d));
  };
  for (const bool parameters : {false, true}) {
    for (NodeId id = 0; id < network.nodes().size(); ++id) {
      if ((network.node(id).op == Op::parameter) != parameters) continue;
      visit(id, false);
      visit(id, true);
    }
  }
}

}  // namespace

std::vector<Dimension> dimensions(const Case& c) {
  std::vector<Dimension> result;
  result.push_back(
      {"batch", "batch", static_cast<std::uint32_t>(c.batch()), Dimension::Kind::batch, 0});
  for (std::uint32_t s = 0; s < c.split.size(); ++s) {
    if (c.split[s].padding == 0) continue;
    result.push_back({fmt::format("padding of slice {}", s), "padding", c.split[s].padding,
                      Dimension::Kind::padding, s});
  }
  const auto derived = [](const Node& n) { return n.op >= Op::derivative; };
  if (std::ranges::none_of(c.network.nodes(), derived)) add_features(c.network, result);
  return result;
}

}  // namespace ulpfuzz::generators
