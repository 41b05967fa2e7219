#pragma once

#include <string>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

/// Networks that compute what a faulty kernel would.
namespace ulpfuzz::diagnosis {

struct Altered {
  std::string name;    ///< of the signature
  std::string detail;  ///< "parameter 2"
  Network network;
  std::vector<Tensor> parameters;  ///< that the forward pass reads
  std::vector<Tensor> backward;    ///< that the backward pass reads
};

/// All there are of a network: biases, weights or activations, of all layers and of each. With
/// `backward`: also in the forward or in the backward pass alone.
/// Whether one altered network a layer is more than memory and time allow: then only slips in all
/// layers at once are tried.
bool too_large_to_alter_by_layer(const Network& network, std::span<const Tensor> parameters);

std::vector<Altered> altered_networks(const Network& network, std::span<const Tensor> parameters,
                                      bool backward);

}  // namespace ulpfuzz::diagnosis
