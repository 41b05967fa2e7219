#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/subjects/schedules.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// How strictly to judge.
struct CheckOptions {
  bool bitwise = false;  ///< batched_vs_sliced: demand equal bits
  /// Probability of a false alarm per case that the probabilistic tier may have, in its model.
  double eps = 1e-9;
};

/// Memory and clocks that a run of checks shares: one a worker.
struct CheckContext {
  Caller caller;
  bounds::Analysis analysis;
  double bound_seconds = 0;

  // Memory that checks keep for each other; what is in it means nothing to anyone else.
  std::vector<std::vector<float>> scratch;
  std::vector<Jacobian> jacobians;
};

/// A claim and how to check it. A pure function of (case, subject): same arguments, same verdict.
struct Property {
  std::string_view name;
  std::string_view claim;  ///< one sentence that says what must hold
  bool needs_gradient = false;
  bool supports_bitwise = false;
  Verdict (*check)(const Case&, const Subject&, const CheckOptions&, CheckContext&) = nullptr;
};

namespace properties {

/// Outputs of the batch against the same rows evaluated in slices, and both against the reference.
extern const Property batched_vs_sliced;
/// Per-row, per-output gradients with respect to inputs and parameters by loop against vectorized
/// reverse and vectorized forward; batch-summed gradients whole against in micro-batches; and all
/// against the reference.
extern const Property loop_vs_vectorized;

std::span<const Property* const> all();
const Property* find(std::string_view name);

}  // namespace properties

/// One readable account of a verdict, several lines: what was compared, the worst element with its
/// ulp distance, difference, bound, tier and share, and what it means.
std::string explain(const Property& property, const Case& c, const Subject& subject,
                    const Verdict& verdict);

/// Stable name of failures with one cause: property, subject, class, first op, cause: lower-case
/// words joined by '-', fit for a folder name.
std::string bucket_id(const Property& property, const Subject& subject, const Verdict& verdict);

}  // namespace ulpfuzz
