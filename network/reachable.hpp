#pragma once

#include <vector>

#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz {

/// Which nodes the outputs depend on.
std::vector<bool> reachable(const Network& network);

/// The network of the nodes marked in `keep` (closed under operands, holding all outputs), in the
/// same order.
Network kept(const Network& network, const std::vector<bool>& keep);

/// The network without nodes that no output depends on; inputs and parameters all stay.
Network without_dead_nodes(const Network& network);

}  // namespace ulpfuzz
