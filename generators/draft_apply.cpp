#include "draft.hpp"
#include "index_range.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {
namespace {

std::vector<std::uint32_t> indices(const Mask& mask, std::uint32_t size) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < size; ++i) {
    if (keeps(mask, i)) result.push_back(i);
  }
  return result;
}

Tensor gather(const Tensor& from, const std::vector<std::uint32_t>& rows,
              const std::vector<std::uint32_t>& cols) {
  Tensor to(static_cast<std::uint32_t>(rows.size()), static_cast<std::uint32_t>(cols.size()));
  auto out = to.data.begin();
  for (const std::uint32_t r : rows) {
    for (const std::uint32_t c : cols) *out++ = from.row(r)[c];
  }
  return to;
}

// Row-major positions of what is left of a matrix.
std::vector<std::uint32_t> flat(const Mask& rows, const Mask& cols, Shape shape) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < shape.rows; ++i) {
    for (std::uint32_t j = 0; j < shape.cols; ++j) {
      if (keeps(rows, i) && keeps(cols, j)) result.push_back(i * shape.cols + j);
    }
  }
  return result;
}

Tensor resized(const Tensor& from, std::uint32_t cols) {
  Tensor to(from.rows, cols);
  for (std::uint32_t r = 0; r < from.rows; ++r) {
    for (std::uint32_t j = 0; j < cols; ++j) to.row(r)[j] = j < from.cols ? from.row(r)[j] : 1.0f;
  }
  return to;
}

Tensor normals(std::size_t rows, std::size_t cols) {
  Tensor to(static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(cols));
  Words words(0);
  fill_normal(to.data, 1, words);
  return to;
}

}  // namespace

// The tensor of an input or a parameter, cut to what is kept.
void Draft::append_tensor(const Case& c, NodeId id, const Masks& masks, Case& result) const {
  const Node& node = nodes_[id];
  const Mask& rows = masks[row_class(id)];
  const Mask& cols = masks[column_class(id)];
  if (node.op == Op::parameter) {
    result.parameters.push_back(gather(c.parameters[node.index], indices(rows, node.shape.rows),
                                       indices(cols, node.shape.cols)));
  } else if (node.index == fresh) {
    result.inputs.push_back(frozen(c, id, masks));
  } else {
    const Tensor& x = c.inputs[node.index];
    result.inputs.push_back(gather(x, index_range(0, x.rows), flat(rows, cols, node.shape)));
  }
}

Tensor Draft::frozen(const Case& c, NodeId id, const Masks& masks) const {
  const Shape shape = nodes_[id].shape;
  std::vector<float> known = values_ ? values_(c, id) : std::vector<float>();
  if (known.size() != c.batch() * shape.size()) return normals(c.batch(), kept(id, masks).size());
  const Tensor whole(static_cast<std::uint32_t>(c.batch()),
                     static_cast<std::uint32_t>(shape.size()), std::move(known));
  return gather(whole, index_range(0, whole.rows),
                flat(masks[row_class(id)], masks[column_class(id)], shape));
}

Tensor Draft::cotangents(const Case& c, const Masks& masks, std::size_t width) const {
  if (c.cotangents.cols == 0 && c.cotangents.rows == 0) return {};
  if (new_output_) return resized(c.cotangents, static_cast<std::uint32_t>(width));
  const NodeId out = dimensions_of(output_);
  return gather(c.cotangents, index_range(0, c.cotangents.rows),
                flat(masks[row_class(out)], masks[column_class(out)], nodes_[out].shape));
}

Case Draft::apply(const Case& c, const Masks& masks) const {
  Case result;
  result.split = c.split;
  result.layout = c.layout;
  std::vector<NodeId> now(nodes_.size());
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (!reachable_[id]) continue;
    Node node = nodes_[id];
    for (std::size_t i = 0; i < node.arity; ++i) node.args[i] = now[resolve(node.args[i])];
    if (node.op == Op::input || node.op == Op::parameter) append_tensor(c, id, masks, result);
    node.shape = kept(id, masks);
    now[id] = result.network.append(node);
  }
  result.network.output(now[resolve(output_)]);
  result.cotangents = cotangents(c, masks, result.output_width());
  return result;
}

}  // namespace ulpfuzz::generators
