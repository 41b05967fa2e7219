#pragma once

#include <algorithm>
#include <cstddef>

#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::quality {

/// What a person would call the network's layers.
inline std::size_t layers(const Network& network) {
  const auto& nodes = network.nodes();
  return static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](const Node& n) {
    return n.op == Op::linear || n.op == Op::matmul;
  }));
}

}  // namespace ulpfuzz::quality
