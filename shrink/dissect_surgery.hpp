#pragma once

#include <optional>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::shrinking {

/// The case up to a node, which becomes the output; cotangents, if there were any, normal. Nothing
/// where that is no case.
std::optional<Case> cut_after(const Case& c, NodeId id);

/// With another node in the place of node `id`, of the same operands or the first of them.
std::optional<Case> with_node(const Case& c, NodeId id, Node node);

/// With the first operand of a node in its place, which must have the same shape.
std::optional<Case> without_node(const Case& c, NodeId id);

}  // namespace ulpfuzz::shrinking
