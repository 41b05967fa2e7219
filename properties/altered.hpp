#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

/// Networks that compute what a faulty subject would.
namespace ulpfuzz::properties {

struct Altered {
  Network network;
  std::vector<Tensor> parameters;
};

/// The linear nodes (all, or `only` that one) with operand `which` (1 weight, 2 bias) changed,
/// where `change` says that it did; other users of the parameter keep it. Nothing if nothing did.
using Change = std::function<bool(Tensor&)>;
std::optional<Altered> with_linear_operand(const Network& network,
                                           std::span<const Tensor> parameters, std::size_t which,
                                           const Change& change, std::optional<NodeId> only);

/// Linear nodes of the batch compute from the other row, all else from its own. Inputs: the other
/// row's, then its own.
Network reading_other_rows(const Network& network);

/// The network with derivatives of kinked activations as on the right side of the kink everywhere:
/// of all, or of node `only`.
Network with_open_masks(const Network& network, std::optional<NodeId> only);

}  // namespace ulpfuzz::properties
