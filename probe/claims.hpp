#pragma once

#include <string>

#include "sum_arithmetic.hpp"

namespace ulpfuzz::probe {

/// What of a claim is not kept: why, in words; empty where it is.
struct Breaches {
  std::string operands, sums, results, depth;
  bool any() const {
    return !operands.empty() || !sums.empty() || !results.empty() || !depth.empty();
  }
};

/// Holds what was found at a site against the subject's claim. Better than claimed is no breach.
/// `product`: a sum of products, for which alone the claim may name a unit, splits and partial
/// sums. Each product may keep a mixed claim in its own way.
Breaches breaches(const SumArithmetic& found, const Arithmetic& claim, bool product);

}  // namespace ulpfuzz::probe
