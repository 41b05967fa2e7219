#pragma once

#include <memory>
#include <vector>

#include "keep.hpp"
#include "model.hpp"
#include "ulpfuzz/network/layered_arithmetic.hpp"

namespace ulpfuzz::bounds {

/// What the walk needs of the arithmetic of one node.
struct NodeArithmetic {
  Arithmetic stated;
  Model model;            ///< that the rules take
  Narrowing keep, store;  ///< of results; of outputs
  /// The walk converts operands of products, so `model` does not (docs/bounds.md, "Conditional
  /// bounds").
  bool converts = false;
  /// Of a mixed arithmetic: what products have instead, if that may come to more.
  std::shared_ptr<const NodeArithmetic> plain;

  /// The same for a product over a batch of `batch` rows; null where there is no choice.
  const NodeArithmetic* other(const Network& network, const Node& node, std::size_t batch) const {
    return plain && can_differ(network, node, batch) ? plain.get() : nullptr;
  }
  /// Does the walk convert the operands of this node, for a batch of `batch` rows?
  bool converts_operands_of(const Network& network, const Node& node, std::size_t batch) const;

 private:
  bool can_differ(const Network& network, const Node& node, std::size_t batch) const;
};

/// Of all nodes.
class NodeArithmetics {
 public:
  /// Throws std::invalid_argument where an exception names no node, or one twice.
  void set(const LayeredArithmetic& arithmetic, std::size_t nodes, bool conditional);

  /// All nodes have the arithmetic `everywhere`.
  bool uniform() const { return own_.empty(); }
  const NodeArithmetic& everywhere() const { return everywhere_; }
  const NodeArithmetic& at(NodeId id) const;
  /// Are results of this node rounded once more? Not those of a relu, if what it reads is rounded.
  bool keeps(const Network& network, NodeId id) const;
  /// Some node rounds its results once more.
  bool keeps() const { return keeps_; }
  bool converts() const { return converts_; }

 private:
  NodeArithmetic everywhere_;
  std::vector<NodeArithmetic> own_;
  std::vector<std::size_t> index_;  ///< of each node, 1 + that of own_, or 0; unused if uniform
  bool keeps_ = false, converts_ = false;
  bool ready_ = false, conditional_ = false;  ///< everywhere_ is of the last call
};

/// Does this op compute, rather than move, so that its result is rounded?
bool computes(Op op);

}  // namespace ulpfuzz::bounds
