#pragma once

#include <cstdint>

#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz {

/// How the cotangents of a vjp come and go.
enum class Reduction : std::uint8_t {
  per_row,   ///< gradients of each batch row (and each repeat) apart
  batch_sum  ///< parameter gradients summed over the batch: outer_sum and batch_sum nodes
};

/// The vector-Jacobian product of a network with one output, as a network. Its inputs are those of
/// `network` followed by one repeated input, the cotangents [repeat entries per batch row, shape of
/// the output]; its outputs are the gradients with respect to each input, then to each parameter,
/// in order, each of the shape of what it is the gradient of. Nodes that no gradient needs are left
/// out; one node may be several outputs, and an output may be the cotangents themselves. Throws
/// std::invalid_argument for a network with other than one output, with an input or parameter that
/// the output does not depend on (see `prune` in case.hpp), or with ops that only derivative
/// networks have: derivatives are first order.
Network vjp(const Network& network, std::uint32_t repeat = 1,
            Reduction reduction = Reduction::per_row);

/// The Jacobian-vector products of a network with one output along all unit tangents of one input
/// or parameter, as a network: repeat = count of its elements, the same inputs as `network`, one
/// output [repeat entries per batch row, shape of the output]: entry t is d output / d element t.
/// `wrt` counts inputs first, then parameters, as the outputs of vjp do.
Network jvp(const Network& network, std::size_t wrt);

/// Whether the node is the `derivative` of relu, leaky_relu or elu, which jumps at 0.
bool has_kink(const Node& node);

/// The nodes whose value decides a kink: operands of those that have one.
std::vector<NodeId> kink_operands(const Network& network);

}  // namespace ulpfuzz
