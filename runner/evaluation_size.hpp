#pragma once

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {

/// Most floats of intermediate values that a case from a file may need: 1 GiB of them.
inline constexpr double most_floats = 268435456;  // 2^28

/// Floats of intermediate values that the paths of a property compute for a case, about: each node
/// for the batch and for the slices with their padding; where a gradient is asked, also each node
/// for each cotangent and each tangent.
double evaluation_size(const Case& c, const Property& property);

/// Throws FileError, naming `file`, if that is more than most_floats.
void check_evaluation_size(const std::string& file, const Case& c, const Property& property);

}  // namespace ulpfuzz
