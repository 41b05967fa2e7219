#pragma once

#include <functional>
#include <span>
#include <string>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::properties {

/// What one path gave for one entry, in one output of a network, and is not as it should be.
struct Suspect {
  const Network& network;
  std::span<const Tensor> parameters;
  std::span<const float* const> inputs;  ///< of this entry alone
  std::size_t output = 0;
  std::span<const float> values;
  Arithmetic arithmetic;
  std::size_t batch = 1;  ///< rows of the evaluation that the entry was part of
  std::size_t rows = 1;   ///< rows of the analysis
};

/// Does `suspect` hold what the analysis of `network` with these parameters, inputs and arithmetic
/// expects, in each element?
bool matches(bounds::Analysis& analysis, const Suspect& suspect, const Network& network,
             std::span<const Tensor> parameters, std::span<const float* const> inputs,
             const Arithmetic& arithmetic);

/// Tries one explanation after the other, each by working out what it would give: a factor (2, 1/2,
/// batch, 1/batch, -1), a bias left out, a weight transposed, the last product dropped; then
/// `leak`, which knows the other rows; all zero; an activation's derivative with a mask that lets
/// everything through; subnormals flushed; operands rounded to a narrower format. The first that
/// gives the values within bounds names the cause; else "unexplained".
std::string name_cause(bounds::Analysis& analysis, const Suspect& suspect,
                       const std::function<std::string()>& leak);

/// The cause that a class names by itself: "unwritten output", "exception".
std::string class_cause(FailureClass failure);

}  // namespace ulpfuzz::properties
