#pragma once

#include <vector>

#include "support/stand_in_memory.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::stand_in {

/// What a launch reads and writes, its workspace apart.
std::vector<Range> extents(const kernels::Launch& launch);

}  // namespace ulpfuzz::stand_in
