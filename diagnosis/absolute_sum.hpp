#pragma once

#include "engine.hpp"

namespace ulpfuzz::diagnosis {

/// Judges the sum of |a - b| over all elements, which is all that is known: against the sums that
/// fp32 evaluations in pairs of usual orders give, and one such evaluation with one under each
/// hypothesis, in the forward pass alone and everywhere. Outputs and Jacobians.
Explanation explain_absolute_sum(const Evidence& evidence);

}  // namespace ulpfuzz::diagnosis
