#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gather.hpp"
#include "trial.hpp"

namespace ulpfuzz::properties {

/// The outputs of the batch and of each slice.
struct ForwardPaths {
  std::vector<float> batch;                ///< [batch, width]
  std::vector<std::vector<float>> slices;  ///< [slice rows, width] each
};
ForwardPaths evaluate_forward(const Trial& trial, const Case& c);

/// Where a slice holds a batch row.
struct Occurrence {
  std::uint32_t row = 0;
  std::uint32_t slice = 0;
  std::uint32_t position = 0;
};
/// Occurrences whose bits differ from those of the batch.
std::vector<Occurrence> differing(const Case& c, const ForwardPaths& paths);

/// Cause, first op, evidence and reason of a failure by numbers.
void diagnose_forward(const Trial& trial, const ForwardPaths& paths, const Finding& failure,
                      Verdict& verdict);

/// Evidence in the words of batched_vs_sliced.
ElementEvidence forward_evidence(const Trial& trial, const Finding& finding);

/// Do the calls that the failing element comes from give other bits when they are repeated? Of a
/// subject that claims no determinism: that element, beyond its bound?
bool differs_when_repeated(const Trial& trial, const ForwardPaths& paths, const Finding& failure);

/// The verdict of strict mode: any differing bit fails.
Verdict judge_bitwise(const Trial& trial, const ForwardPaths& paths);

}  // namespace ulpfuzz::properties
