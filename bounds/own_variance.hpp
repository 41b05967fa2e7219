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

/// What the errors of two computed factors can do to their product `y` if all conspire: squares of
/// sums of deviations in place of sums of squares. The adjoint stops there, and what went through a
/// few values on the way, as in x x^T, errs alike in all terms and in both factors.
void add_conspiring_variance(const Network& network, std::span<const Value> values,
                             const Node& node, Value& y);

}  // namespace ulpfuzz::bounds
