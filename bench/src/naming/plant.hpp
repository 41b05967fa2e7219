#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"
#include "ulpfuzz/network/network.hpp"

/// Faults that are no matter of arithmetic, planted into honest results: what the diagnosis must
/// name. For bench/naming and the tests.
namespace ulpfuzz::bench {

/// The classes, as diagnosis names them: "doubled", "row leak", ...
std::span<const std::string_view> plantable();

/// What an evaluation with that fault would have given in place of `honest` (layout of
/// diagnosis::Evidence). The seed chooses the place: which rows, parameter, unit or layer. Empty
/// where the class cannot be: no bias, no square weight, no relu, too few rows, "wrong mask" in
/// outputs; or where nothing would change by more than 1e-3 of the largest element. Throws
/// std::invalid_argument for a class that is not one of plantable().
std::vector<float> plant(std::string_view name, const Network& network,
                         std::span<const Tensor> parameters, std::span<const float* const> inputs,
                         std::size_t rows, diagnosis::Quantity quantity,
                         std::span<const float> honest, std::uint64_t seed);

/// Results of the plain loops in fp32, in the layout of diagnosis::Evidence.
std::vector<float> evaluate_plainly(const Network& network, std::span<const Tensor> parameters,
                                    std::span<const float* const> inputs, std::size_t rows,
                                    diagnosis::Quantity quantity);

}  // namespace ulpfuzz::bench
