#pragma once

#include "soundness/tally.hpp"

namespace ulpfuzz::bench {

/// Tables by op, width, depth, arithmetic, order, data and tier on standard output.
void print(const Tally& tally, double seconds);

}  // namespace ulpfuzz::bench
