#include "draft.hpp"

#include <algorithm>
#include <numeric>

namespace ulpfuzz::generators {
namespace {

// Whether this changed the mask.
bool lose(Mask& mask, std::size_t size, std::size_t i) {
  if (!keeps(mask, i)) return false;
  if (mask.empty()) mask.assign(size, 1);
  mask[i] = 0;
  return true;
}

std::uint32_t count(const Mask& mask, std::uint32_t size) {
  if (mask.empty()) return size;
  return static_cast<std::uint32_t>(std::ranges::count(mask, 1));
}

}  // namespace

Draft::Draft(const Network& network)
    : nodes_(network.nodes()), alias_(network.nodes().size()), output_(network.outputs().front()) {
  std::iota(alias_.begin(), alias_.end(), 0u);
}

void Draft::replace(NodeId node, NodeId with, bool keep_trailing) {
  alias_[node] = with;
  if (nodes_[node].shape == nodes_[with].shape) return;
  reshaped_ = true;
  keep_trailing_ = keep_trailing;
  replaced_ = node;
  replacement_ = with;
}

void Draft::freeze(NodeId node, const Activations& values) {
  values_ = values;
  Node& n = nodes_[node];
  n.op = Op::input;
  n.arity = 0;
  n.index = fresh;
}

std::size_t Draft::left() const {
  return static_cast<std::size_t>(std::ranges::count(reachable_, true));
}

NodeId Draft::resolve(NodeId id) const {
  while (alias_[id] != id) id = alias_[id];
  return id;
}

NodeId Draft::dimensions_of(NodeId id) const {
  while (alias_[id] != id && !(reshaped_ && id == replaced_)) id = alias_[id];
  return id;
}

std::uint32_t Draft::find(std::uint32_t d) const {
  while (parent_[d] != d) d = parent_[d];
  return d;
}

void Draft::unite(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t ra = find(a), rb = find(b);
  parent_[std::max(ra, rb)] = std::min(ra, rb);
}

void Draft::settle() {
  parent_.resize(2 * nodes_.size());
  std::iota(parent_.begin(), parent_.end(), 0u);
  reachable_.assign(nodes_.size(), false);
  reachable_[resolve(output_)] = true;
  for (std::size_t id = nodes_.size(); id-- > 0;) {
    if (!reachable_[id]) continue;
    for (const NodeId arg : nodes_[id].operands()) reachable_[resolve(arg)] = true;
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (reachable_[id]) link(id);
  }
}

void Draft::link(NodeId id) {
  const Node& node = nodes_[id];
  const auto rows = [](NodeId n) { return 2 * n; };
  const auto cols = [](NodeId n) { return 2 * n + 1; };
  if (node.arity == 0) return;
  const NodeId a = dimensions_of(node.args[0]);
  const NodeId b = node.arity > 1 ? dimensions_of(node.args[1]) : a;
  switch (node.op) {
    case Op::linear:
      unite(rows(id), rows(a));
      unite(cols(a), cols(b));
      unite(cols(id), rows(b));
      if (node.arity == 3) unite(cols(id), cols(dimensions_of(node.args[2])));
      return;
    case Op::matmul:
      unite(rows(id), node.transpose_a ? cols(a) : rows(a));
      unite(node.transpose_a ? rows(a) : cols(a), node.transpose_b ? cols(b) : rows(b));
      unite(cols(id), node.transpose_b ? rows(b) : cols(b));
      return;
    case Op::concat:
      unite(rows(id), rows(a));
      unite(rows(id), rows(b));
      return;
    case Op::reshape:
      if (node.shape != nodes_[a].shape) return;
      break;
    default:
      break;
  }
  for (const NodeId x : {a, b}) {
    unite(cols(id), cols(x));
    // A shared row that is broadcast over feature rows keeps its own.
    if (nodes_[x].shape.rows == node.shape.rows) unite(rows(id), rows(x));
  }
}

std::vector<Draft::Class> Draft::classes() const {
  std::vector<Class> result;
  std::vector<bool> seen(parent_.size(), false);
  const auto visit = [&](NodeId id, bool rows) {
    const std::uint32_t root = rows ? row_class(id) : column_class(id);
    const std::uint32_t size = rows ? nodes_[id].shape.rows : nodes_[id].shape.cols;
    if (size > 0 && !seen[root]) result.push_back({root, size, id, rows});
    seen[root] = true;
  };
  for (const bool parameters : {false, true}) {
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (!reachable_[id] || (nodes_[id].op == Op::parameter) != parameters) continue;
      visit(id, false);
      visit(id, true);
    }
  }
  return result;
}

bool Draft::close_concat(const Node& node, NodeId id, Masks& masks) const {
  const std::uint32_t whole = column_class(id);
  std::uint32_t offset = 0;
  bool changed = false;
  for (const NodeId arg : node.operands()) {
    const NodeId x = dimensions_of(arg);
    const std::uint32_t part = column_class(x), size = nodes_[x].shape.cols;
    for (std::uint32_t i = 0; i < size; ++i) {
      if (!keeps(masks[part], i)) changed |= lose(masks[whole], node.shape.cols, offset + i);
      if (!keeps(masks[whole], offset + i)) changed |= lose(masks[part], size, i);
    }
    offset += size;
  }
  return changed;
}

// Between a matrix and a flat row: an element that is lost takes its column with it.
bool Draft::close_reshape(const Node& node, NodeId id, Masks& masks) const {
  const NodeId x = dimensions_of(node.args[0]);
  const bool to_matrix = nodes_[x].shape.rows == 1;
  const NodeId matrix = to_matrix ? id : x;
  const Shape shape = nodes_[matrix].shape;
  Mask& line = masks[column_class(to_matrix ? x : id)];
  Mask& rows = masks[row_class(matrix)];
  Mask& cols = masks[column_class(matrix)];
  bool changed = false;
  for (std::uint32_t f = 0; f < shape.size(); ++f) {
    const std::uint32_t i = f / shape.cols, j = f % shape.cols;
    const bool there = keeps(rows, i) && keeps(cols, j);
    if (there && !keeps(line, f)) changed |= lose(cols, shape.cols, j);
    if (!there) changed |= lose(line, shape.size(), f);
  }
  return changed;
}

Shape Draft::kept(NodeId id, const Masks& masks) const {
  const Shape s = nodes_[id].shape;
  return {count(masks[row_class(id)], s.rows), count(masks[column_class(id)], s.cols)};
}

void Draft::start_replacement(Masks& masks) const {
  const auto shrink = [&](std::uint32_t id, std::uint32_t from, std::uint32_t to, bool trailing) {
    for (std::uint32_t i = to; i < from; ++i) lose(masks[id], from, trailing ? i - to : i);
  };
  const Shape old = nodes_[replaced_].shape, now = nodes_[replacement_].shape;
  shrink(row_class(replaced_), old.rows, now.rows, false);
  shrink(row_class(replacement_), now.rows, old.rows, false);
  shrink(column_class(replaced_), old.cols, now.cols, keep_trailing_);
  shrink(column_class(replacement_), now.cols, old.cols, false);
}

bool Draft::linked() const {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    const Node& node = nodes_[id];
    if (!reachable_[id]) continue;
    if (node.op == Op::concat) return true;
    if (node.op == Op::reshape && node.shape != nodes_[dimensions_of(node.args[0])].shape)
      return true;
  }
  return reshaped_;
}

bool Draft::close(Masks& masks, std::uint32_t may_be_empty) const {
  if (reshaped_) start_replacement(masks);
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      const Node& node = nodes_[id];
      if (!reachable_[id]) continue;
      if (node.op == Op::concat) changed |= close_concat(node, id, masks);
      if (node.op != Op::reshape) continue;
      const NodeId x = dimensions_of(node.args[0]);
      if (node.shape == nodes_[x].shape) continue;
      if (node.shape.rows == 1 || nodes_[x].shape.rows == 1) {
        changed |= close_reshape(node, id, masks);
      } else if (kept(id, masks) != node.shape || kept(x, masks) != nodes_[x].shape) {
        return false;
      }
    }
  }
  for (std::size_t id = 0; id < masks.size(); ++id) {
    const Mask& m = masks[id];
    if (id != may_be_empty && !m.empty() && std::ranges::count(m, 1) == 0) return false;
  }
  return !reshaped_ || kept(replaced_, masks) == kept(replacement_, masks);
}

}  // namespace ulpfuzz::generators
