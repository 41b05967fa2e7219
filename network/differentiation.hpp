#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz {

/// Throws unless `network` is one that `who` (vjp, jvp) can differentiate.
void check_differentiable(const Network& network, std::string_view who);

/// The network's nodes, inputs and parameters under the same ids, without outputs: what its
/// derivative network starts with.
Network primal_part(const Network& network, std::uint32_t repeat);

/// phi' at the operand of an activation node, made once however often it is asked for.
class ActivationDerivatives {
 public:
  NodeId at(Network& network, const Node& activation);

 private:
  std::vector<std::pair<Node, NodeId>> made_;
};

}  // namespace ulpfuzz
