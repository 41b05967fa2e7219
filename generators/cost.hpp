#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

/// Lexicographic: other than 0 and 1; significant bits plus |exponent|; sign. Sums of smaller costs
/// are smaller, so an edit that lowers each element that it touches lowers the case.
using ElementCost = std::array<std::uint64_t, 3>;
ElementCost element_cost(float x);

/// Lexicographic: slices; rows mentioned; places where the order is not consecutive; the smallest
/// slice; padding.
using SplitCost = std::array<std::uint64_t, 5>;
SplitCost split_cost(std::span<const Slice> split);

/// How hard an op is to think about; inputs and parameters are 0.
std::uint64_t op_rank(Op op);

}  // namespace ulpfuzz::generators
