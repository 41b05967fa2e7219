#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz {

/// The arithmetic of an evaluation where single nodes may have one of their own.
struct LayeredArithmetic {
  Arithmetic everywhere;
  std::vector<std::pair<NodeId, Arithmetic>> except;  ///< at most one a node

  LayeredArithmetic() = default;
  LayeredArithmetic(const Arithmetic& a) : everywhere(a) {}  // one for all is the usual case

  const Arithmetic& at(NodeId id) const;

  bool operator==(const LayeredArithmetic&) const = default;
};

/// The layers of a network are its linear and matmul nodes, in order, counted from 0. Of each node
/// of `network`: which layer of it that is. For a derivative network made by vjp or jvp, `forward`
/// is what it was made of, and products of the backward or tangent pass count as the layer whose
/// weight they read or are the gradient of, the first of them for a weight that several share;
/// nothing for nodes that are no products or of no layer.
std::vector<std::optional<std::size_t>> layers_of(const Network& network, const Network& forward);
/// Of a forward network.
std::size_t layer_count(const Network& forward);

}  // namespace ulpfuzz
