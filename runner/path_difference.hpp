#pragma once

#include <optional>

#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz {

/// Evaluates both paths of a property as plain schedules and compares them element by element; the
/// bound has no say here. `bits` hashes the results of both. Nothing where the subject faults.
std::optional<PathDifference> path_difference(const Property& property, const Case& c,
                                              const Subject& subject, Caller& caller);

}  // namespace ulpfuzz
