#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz {

using NodeId = std::uint32_t;

/// Features of one batch row: a matrix; a plain vector is 1 x cols.
struct Shape {
  std::uint32_t rows = 1;
  std::uint32_t cols = 0;
  std::size_t size() const { return std::size_t{rows} * cols; }
  bool operator==(const Shape&) const = default;
};

/// What the leading axis of a value is. `batch`: one entry a batch row. `repeated`: Network::repeat
/// consecutive entries for each batch row (all cotangents or all tangents at once); entry r belongs
/// to batch row r / repeat. `shared`: no leading axis. An op with a repeated operand reads its
/// batch operands once for each repeat.
enum class Axis : std::uint8_t { shared, batch, repeated };

struct Node {
  Op op = Op::input;
  std::uint8_t arity = 0;
  std::array<NodeId, 3> args{};
  Shape shape;
  Axis axis = Axis::batch;
  bool transpose_a = false;  ///< matmul
  bool transpose_b = false;
  Op of = Op::relu;         ///< derivative: of which activation
  std::uint32_t index = 0;  ///< input, parameter: which one; slice, pad: first column
  float alpha = 0;          ///< slope, elu's alpha, epsilon of a norm

  std::span<const NodeId> operands() const { return {args.data(), arity}; }
  bool operator==(const Node&) const = default;
};

/// A typed graph of ops on rows, in topological order: arguments come before their users. Built by
/// the member functions, which check shapes and throw std::invalid_argument, naming the op, the
/// shapes and what would fit. Weights are not part of it.
class Network {
 public:
  NodeId input(Shape shape, Axis axis = Axis::batch);
  NodeId input(std::uint32_t width) { return input(Shape{1, width}); }
  NodeId parameter(std::uint32_t rows, std::uint32_t cols);

  NodeId linear(NodeId x, NodeId weight);
  NodeId linear(NodeId x, NodeId weight, NodeId bias);
  NodeId matmul(NodeId a, NodeId b, bool transpose_a = false, bool transpose_b = false);
  NodeId add(NodeId a, NodeId b);
  NodeId mul(NodeId a, NodeId b);
  /// relu .. elu; alpha only matters to leaky_relu (default 0.01) and elu (default 1).
  NodeId activation(Op op, NodeId x);
  NodeId activation(Op op, NodeId x, float alpha);
  NodeId softmax(NodeId x);
  NodeId layer_norm(NodeId x, float epsilon = 1e-5f);
  NodeId rms_norm(NodeId x, float epsilon = 1e-5f);
  NodeId concat(NodeId a, NodeId b);
  NodeId reshape(NodeId x, Shape shape);

  NodeId derivative(Op of, NodeId x, float alpha);
  NodeId softmax_grad(NodeId v, NodeId s);
  NodeId layer_norm_grad(NodeId v, NodeId x, float epsilon);
  NodeId rms_norm_grad(NodeId v, NodeId x, float epsilon);
  NodeId slice(NodeId x, std::uint32_t start, std::uint32_t cols);
  NodeId pad(NodeId x, std::uint32_t start, std::uint32_t cols);
  NodeId sum_rows(NodeId x);
  NodeId batch_sum(NodeId x);
  NodeId outer_sum(NodeId a, NodeId b);
  /// One-hot tangents of a value [m,n]: with repeat = m n entry t has a one at element t; with
  /// repeat = n (a [1,n] parameter broadcast over m feature rows) it has ones down column t. Call
  /// set_repeat first.
  NodeId basis(Shape shape);
  NodeId unit_tangents(NodeId h, std::uint32_t n);

  void output(NodeId node);

  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  /// The same node, checked: std::invalid_argument where there is none.
  const Node& at(NodeId id) const;
  const std::vector<NodeId>& inputs() const { return inputs_; }
  const std::vector<NodeId>& parameters() const { return parameters_; }
  const std::vector<NodeId>& outputs() const { return outputs_; }

  /// Entries on the repeated axis for each batch row; 1 in a network without derivatives.
  std::uint32_t repeat() const { return repeat_; }
  /// Throws std::invalid_argument where a basis or unit_tangents node needs another one.
  void set_repeat(std::uint32_t repeat);

  /// Length of the leading axis of a node for a batch of `batch` rows: 1 for a shared value.
  std::size_t entries(const Node& node, std::size_t batch) const;

  /// Adds a node whose operands are in place after checking it as the named functions do, and
  /// infers its shape and axis where they follow from the operands. Readers build through it.
  NodeId append(Node node);
  /// Makes room for so many nodes at once.
  void reserve(std::size_t nodes);

  bool operator==(const Network&) const = default;

 private:
  std::vector<Node> nodes_;
  std::vector<NodeId> inputs_;
  std::vector<NodeId> parameters_;
  std::vector<NodeId> outputs_;
  std::uint32_t repeat_ = 1;
};

/// "linear(12 -> 7)+bias, tanh, linear(7 -> 2)": one line a person can read.
std::string describe(const Network& network);

}  // namespace ulpfuzz
