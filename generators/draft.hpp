#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

/// Which indices of a dimension stay; empty: all.
using Mask = std::vector<std::uint8_t>;
inline bool keeps(const Mask& mask, std::size_t i) { return mask.empty() || mask[i] != 0; }

/// A network under surgery: nodes may be altered, stand for another node (`replace`), or lose
/// feature rows and columns. Dimensions that ops hold equal lose the same indices: each dimension
/// belongs to a class, and concat and reshape link classes.
class Draft {
 public:
  explicit Draft(const Network& network);

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  NodeId output() const { return output_; }
  void set_output(NodeId id) {
    output_ = id;
    new_output_ = true;
  }
  /// `with` comes before `node` and takes its place; where shapes differ, both lose what the other
  /// lacks: leading indices stay, or trailing ones of `node`. At most one replacement whose shapes
  /// differ.
  void replace(NodeId node, NodeId with, bool keep_trailing = false);

  /// The node becomes an input of its own, whose values apply() takes from `values` if there is
  /// one and it knows them; else they are normal.
  void freeze(NodeId node, const Activations& values = {});

  /// The output becomes another node, or one of another shape: cotangents are fitted to it.
  void new_output() { new_output_ = true; }

  /// Sorts dimensions into classes. Alter nodes before, cut after.
  void settle();
  bool is_left(NodeId id) const { return reachable_[id]; }
  /// Nodes that are left.
  std::size_t left() const;
  /// One class for each dimension that is not empty, by its first node that is no parameter.
  struct Class {
    std::uint32_t id, size;
    NodeId node;
    bool rows;
  };
  std::vector<Class> classes() const;
  std::uint32_t row_class(NodeId id) const { return find(2 * id); }
  std::uint32_t column_class(NodeId id) const { return find(2 * id + 1); }

  /// Whether what a dimension loses may have consequences elsewhere: close() may then refuse.
  bool linked() const;

  using Masks = std::vector<Mask>;  ///< by class
  /// Completes the masks to what the ops demand; false where some dimension would be lost (other
  /// than `may_be_empty`), or where a reshape or a replacement does not allow it.
  bool close(Masks& masks, std::uint32_t may_be_empty = none) const;
  Masks no_masks() const { return Masks(2 * nodes_.size()); }
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The case with the draft's network and what is left of each tensor.
  Case apply(const Case& c, const Masks& masks) const;

 private:
  static constexpr std::uint32_t fresh = ~std::uint32_t{0};  ///< index of a frozen node

  std::uint32_t find(std::uint32_t dimension) const;
  void unite(std::uint32_t a, std::uint32_t b);
  void link(NodeId id);
  bool close_concat(const Node& node, NodeId id, Masks& masks) const;
  bool close_reshape(const Node& node, NodeId id, Masks& masks) const;
  void start_replacement(Masks& masks) const;
  Shape kept(NodeId id, const Masks& masks) const;
  void append_tensor(const Case& c, NodeId id, const Masks& masks, Case& result) const;
  Tensor frozen(const Case& c, NodeId id, const Masks& masks) const;
  Tensor cotangents(const Case& c, const Masks& masks, std::size_t width) const;
  NodeId resolve(NodeId id) const;
  /// The node whose dimensions stand for those of an operand: a replaced node of another shape
  /// keeps its own.
  NodeId dimensions_of(NodeId id) const;

  std::vector<Node> nodes_;
  std::vector<NodeId> alias_;
  std::vector<bool> reachable_;
  std::vector<std::uint32_t> parent_;
  Activations values_;
  NodeId output_;
  NodeId replaced_ = 0, replacement_ = 0;
  bool new_output_ = false, reshaped_ = false, keep_trailing_ = false;
};

}  // namespace ulpfuzz::generators
