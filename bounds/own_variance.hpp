#pragma once

#include <span>

#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {

/// Splits the variance that a rule gave node `id` into what its operands bring and what it adds
/// itself, so that the adjoint can weigh the latter by the exact Jacobian: errors of one layer that
/// share a source add coherently where weights have one sign, which variances of single elements
/// do not know. `to` holds all earlier nodes. Nodes whose own part is not told apart (where the
/// adjoint stops) keep all of it.
void split_variance(const Network& network, std::span<const Value> values, NodeId id,
                    Variances& to);

}  // namespace ulpfuzz::bounds
