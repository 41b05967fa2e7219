#include "pieces.hpp"

#include <algorithm>

namespace ulpfuzz::diagnosis {
namespace {

bool is_leaf(const Node& node) { return node.op == Op::input || node.op == Op::parameter; }

Op swapped(Op op) {
  if (op == Op::gelu_erf) return Op::gelu_tanh;
  return op == Op::gelu_tanh ? Op::gelu_erf : op;
}

Pieces::Piece piece_of(const Network& network, NodeId id, std::span<const Tensor> parameters,
                       bool swap_gelu) {
  Pieces::Piece piece;
  Node node = network.node(id);
  if (swap_gelu) node.op = swapped(node.op);
  for (std::size_t i = 0; i < node.arity; ++i) {
    const NodeId operand = node.args[i];
    const Node& from = network.node(operand);
    if (from.axis == Axis::shared) {
      node.args[i] = piece.network.parameter(from.shape.rows, from.shape.cols);
      piece.shared.push_back(operand);
      piece.parameters.push_back(from.op == Op::parameter
                                     ? parameters[from.index]
                                     : Tensor(from.shape.rows, from.shape.cols));
    } else {
      node.args[i] = piece.network.input(from.shape, from.axis);
      piece.inputs.push_back(operand);
    }
  }
  piece.network.output(piece.network.append(node));
  return piece;
}

}  // namespace

Pieces::Pieces(const Network& network, std::span<const Tensor> parameters, bool swap_gelu)
    : network_(network), parameters_(parameters), pieces_(network.nodes().size()) {
  for (NodeId id = 0; id < pieces_.size(); ++id)
    if (!is_leaf(network.node(id))) pieces_[id] = piece_of(network, id, parameters, swap_gelu);
}

Values::Values(const Pieces& pieces, std::span<const float* const> inputs,
               std::span<const std::size_t> rows)
    : rows_(rows.size()), values_(pieces.network().nodes().size()) {
  for (NodeId id = 0; id < values_.size(); ++id) {
    const Node& node = pieces.network().node(id);
    const std::size_t size = node.shape.size();
    std::vector<float>& value = values_[id];
    if (node.op == Op::parameter) {
      value = pieces.parameters()[node.index].data;
      continue;
    }
    value.resize(node.axis == Axis::shared ? size : size * rows_);
    if (node.op != Op::input) continue;
    const float* from = inputs[node.index];
    for (std::size_t r = 0; r < rows_ && node.axis != Axis::shared; ++r)
      std::copy_n(from + rows[r] * size, size,
                  value.begin() + static_cast<std::ptrdiff_t>(r * size));
  }
}

void Values::compute(NodeId id, const Pieces& pieces, const Subject& subject) {
  const Pieces::Piece& piece = pieces.piece(id);
  inputs_.clear();
  for (const NodeId input : piece.inputs) inputs_.push_back(values_[input].data());
  std::span<const Tensor> parameters = piece.parameters;
  const bool computed = std::any_of(piece.shared.begin(), piece.shared.end(), [&](NodeId shared) {
    return pieces.network().node(shared).op != Op::parameter;
  });
  if (computed) {
    tensors_ = piece.parameters;
    for (std::size_t i = 0; i < tensors_.size(); ++i) tensors_[i].data = values_[piece.shared[i]];
    parameters = tensors_;
  }
  float* const output = values_[id].data();
  subject.evaluate({piece.network, parameters, rows_, inputs_, {&output, 1}});
}

}  // namespace ulpfuzz::diagnosis
