#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jacobian.hpp"
#include "ulpfuzz/network/layered_arithmetic.hpp"

namespace ulpfuzz::diagnosis {

/// What a product of a vjp network is part of. `outer`: it is a weight gradient. Of a forward
/// network all are `forward`.
enum class Part : std::uint8_t { none, forward, backward, outer };
std::vector<Part> parts_of(const Network& network, const Network& forward);

/// Some products of a network: those of a set of parts, in a set of layers.
struct Plan {
  std::string name;              ///< "everywhere", "in the forward pass alone"
  std::vector<NodeId> products;  ///< ascending
};

/// Everything; each part alone; forward and backward without outer products; of up to four layers
/// every set of them with all parts, above each layer alone and all others without it. Plans that
/// come to the same products are there once.
std::vector<Plan> plans(const Network& network, const Network& forward);

/// fp32 but for the products of the plan.
LayeredArithmetic arithmetic_of(const Plan& plan, const Arithmetic& special);

/// Of each layer: "fp32", the class, or the class with the parts that compute so:
/// "tf32 rna (forward)".
std::vector<std::string> layer_words(const Plan& plan, const Network& network,
                                     const Network& forward, const std::string& hypothesis);

}  // namespace ulpfuzz::diagnosis
