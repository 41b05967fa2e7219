#pragma once

#include <cstdint>

#include "ulpfuzz/network/case.hpp"

/// Simplest cases, built by hand; all numbers are zero. The split is one slice of one row; without
/// cotangents unless it says otherwise.
namespace ulpfuzz::bench::skeletons {

/// The input is the output.
Case input(std::uint32_t batch, std::uint32_t width);
Case activation(Op op, std::uint32_t batch, std::uint32_t row = 0);
/// From k to n features; `row` is that of the slice.
Case linear(std::uint32_t batch, std::uint32_t k, std::uint32_t n, std::uint32_t row = 0);
Case linear_with_bias(std::uint32_t batch, std::uint32_t k, std::uint32_t n, std::uint32_t row = 0);
/// A linear layer from 1 to 1 whose bias is its weight.
Case weight_is_bias(std::uint32_t batch);

/// The same, with one cotangent a row and output, and a slice of all rows.
Case with_cotangents(Case c);

}  // namespace ulpfuzz::bench::skeletons
