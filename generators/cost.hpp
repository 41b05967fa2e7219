#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::generators {

/// Lexicographic: other than 0 and 1; significant bits plus |exponent|; bits that are set; sign.
/// Sums of smaller costs are smaller, so an edit that lowers each element that it touches lowers
/// the case.
using ElementCost = std::array<std::uint64_t, 4>;
ElementCost element_cost(float x);

/// Lexicographic: the sum of ElementCost; neighbours that differ; neighbours of which the second is
/// smaller. Of a whole tensor, row by row.
using ValuesCost = std::array<std::uint64_t, 6>;
ValuesCost values_cost(std::span<const float> values);

/// Lexicographic: rows of the larger side (the batch, or all slices with padding); slices; rows
/// in them, padding included; places where their order is not consecutive; batch rows; the smallest
/// slice; padding.
using SplitCost = std::array<std::uint64_t, 7>;
SplitCost split_cost(std::span<const Slice> split, std::size_t batch);

/// How hard an op is to think about; inputs and parameters are 0, relu is least.
std::uint64_t op_rank(Op op);
/// The same with 1 for a bias, and 1 for an unusual slope or epsilon.
std::uint64_t node_rank(const Node& node);
/// The usual slope of leaky_relu, alpha of elu, epsilon of a norm; else 0.
float usual_alpha(Op op);

}  // namespace ulpfuzz::generators
