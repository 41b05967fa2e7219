#include <map>
#include <stdexcept>

#include "dimensions_resize.hpp"
#include "draft.hpp"

namespace ulpfuzz::generators {
namespace {

/// Where the indices of each class of dimensions come from. What follows from others is made to
/// follow; throws std::invalid_argument where it cannot.
class Plan {
 public:
  Plan(const Case& c, const Draft& draft) : c_(c), draft_(draft) {}

  void set(std::uint32_t id, Origins origins) { changed_.emplace(id, std::move(origins)); }

  void complete() {
    for (bool again = true; again;) {
      again = false;
      for (NodeId id = 0; id < c_.network.nodes().size(); ++id) {
        const Node& node = c_.network.node(id);
        if (node.op == Op::concat) again |= follow(draft_.column_class(id), joined(node));
        if (node.op == Op::reshape) again |= reshape(node, id);
      }
    }
  }

  Origins rows(NodeId id) const { return of(draft_.row_class(id), c_.network.node(id).shape.rows); }
  Origins cols(NodeId id) const {
    return of(draft_.column_class(id), c_.network.node(id).shape.cols);
  }

  /// Of a flat row: elements of the matrix, row by row.
  Origins flat(NodeId id) const {
    const Origins r = rows(id), c = cols(id);
    const std::uint32_t width = c_.network.node(id).shape.cols;
    Origins result;
    result.reserve(r.size() * c.size());
    for (const Origin& i : r) {
      for (const Origin& j : c) {
        const bool none = i.from == Origin::none || j.from == Origin::none;
        result.push_back({none ? Origin::none : i.from * width + j.from, i.copy || j.copy});
      }
    }
    return result;
  }

 private:
  Origins of(std::uint32_t id, std::uint32_t size) const {
    const auto found = changed_.find(id);
    return found == changed_.end() ? unchanged(size) : found->second;
  }

  Origins joined(const Node& node) const {
    Origins whole;
    std::uint32_t offset = 0;
    for (const NodeId arg : node.operands()) {
      for (Origin o : cols(arg)) {
        if (o.from != Origin::none) o.from += offset;
        whole.push_back(o);
      }
      offset += c_.network.node(arg).shape.cols;
    }
    return whole;
  }

  bool reshape(const Node& node, NodeId id) {
    const NodeId x = node.args[0];
    const Shape from = c_.network.node(x).shape;
    if (from == node.shape) return false;
    if (from.rows == 1) return follow(draft_.column_class(x), flat(id));
    if (node.shape.rows == 1) return follow(draft_.column_class(id), flat(x));
    if (rows(id) != unchanged(node.shape.rows) || cols(id) != unchanged(node.shape.cols) ||
        rows(x) != unchanged(from.rows) || cols(x) != unchanged(from.cols)) {
      throw std::invalid_argument("a reshape between matrices keeps its sizes");
    }
    return false;
  }

  // Whether this changed the class.
  bool follow(std::uint32_t id, Origins origins) {
    const auto found = changed_.find(id);
    if (found != changed_.end()) {
      if (found->second != origins)
        throw std::invalid_argument("a dimension that follows from others has another size");
      return false;
    }
    const auto size = static_cast<std::uint32_t>(origins.size());
    if (origins == unchanged(size)) return false;
    changed_.emplace(id, std::move(origins));
    return true;
  }

  const Case& c_;
  const Draft& draft_;
  std::map<std::uint32_t, Origins> changed_;
};

Case rebuilt(const Case& c, const Plan& plan, const Growth& growth) {
  Case result;
  result.split = c.split;
  result.layout = c.layout;
  std::uint64_t stream = 1;
  const Origins batch = unchanged(static_cast<std::uint32_t>(c.batch()));
  for (NodeId id = 0; id < c.network.nodes().size(); ++id) {
    Node node = c.network.node(id);
    const Origins rows = plan.rows(id), cols = plan.cols(id);
    node.shape = {static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(cols.size())};
    if (node.op == Op::parameter)
      result.parameters.push_back(gathered(c.parameters[node.index], rows, cols, growth, stream++));
    if (node.op == Op::input)
      result.inputs.push_back(
          gathered(c.inputs[node.index], batch, plan.flat(id), growth, stream++));
    result.network.append(node);
  }
  const NodeId out = c.network.outputs().front();
  result.network.output(out);
  if (c.cotangents.data.empty())
    result.cotangents = c.cotangents;
  else
    result.cotangents = gathered(c.cotangents, batch, plan.flat(out), growth, 0);
  return result;
}

Case rows_resized(const Case& c, std::uint32_t size, const Growth& growth) {
  Case result = c;
  const auto old = static_cast<std::uint32_t>(c.batch());
  const Origins rows = origins(old, size, growth.in_the_middle);
  std::uint64_t stream = 1;
  const auto gather = [&](Tensor& t, std::uint64_t key) {
    t = gathered(t, rows, unchanged(t.cols), growth, key);
  };
  for (Tensor& t : result.inputs) gather(t, stream++);
  if (c.cotangents.rows != 0 || c.cotangents.cols != 0) gather(result.cotangents, 0);
  if (growth.values == Growth::Values::all_normal) {
    for (Tensor& t : result.parameters)
      t = gathered(t, unchanged(t.rows), unchanged(t.cols), growth, stream++);
  }
  result.split = resized_split(c.split, old, size, growth.in_the_middle);
  return result;
}

Case features_resized(const Case& c, const Dimension& dimension, std::uint32_t size,
                      const Growth& growth) {
  Draft draft(c.network);
  draft.settle();
  Plan plan(c, draft);
  const bool rows = dimension.kind == Dimension::Kind::rows;
  plan.set(rows ? draft.row_class(dimension.index) : draft.column_class(dimension.index),
           origins(dimension.size, size, growth.in_the_middle));
  plan.complete();
  return rebuilt(c, plan, growth);
}

}  // namespace

std::optional<Case> resized(const Case& c, const Dimension& dimension, std::uint32_t size,
                            const Growth& growth) {
  try {
    Case result;
    switch (dimension.kind) {
      case Dimension::Kind::batch:
        result = rows_resized(c, size, growth);
        break;
      case Dimension::Kind::padding:
        result = c;
        result.split.at(dimension.index).padding = size;
        break;
      case Dimension::Kind::columns:
      case Dimension::Kind::rows:
        result = features_resized(c, dimension, size, growth);
    }
    validate(result);
    return result;
  } catch (const std::invalid_argument&) {
    return std::nullopt;  // the network has no such size
  }
}

}  // namespace ulpfuzz::generators
