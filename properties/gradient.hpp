#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gather.hpp"
#include "trial.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

namespace ulpfuzz::properties {

/// Gradients summed over rows of the case, one vector a parameter.
struct BatchSum {
  std::vector<std::uint32_t> rows;
  std::vector<std::vector<float>> gradients;
};

/// What the schedules gave. `forward` is missing where the subject does not evaluate the jvp
/// networks, the sums where the case has no cotangents or its split no rows.
struct GradientPaths {
  Jacobian loop;
  Jacobian reverse;
  std::optional<Jacobian> forward;
  BatchSum whole;                         ///< over the rows of the split, in its order
  std::vector<BatchSum> micro_batches;    ///< over those of each slice
  std::vector<std::vector<float>> micro;  ///< these added up in fp64, then rounded
};

/// A trial with the networks derived for it.
struct GradientTrial {
  const Trial& trial;
  const DerivedNetworks& derived;
  bool with_forward = true;
};

GradientPaths evaluate_gradients(const GradientTrial& t, const Case& c);

/// Only the sums.
void evaluate_summed(const GradientTrial& t, const Case& c, GradientPaths& paths);

/// Do the schedules that the failing element comes from give other bits when they are repeated? Of
/// a subject that claims no determinism: that element, beyond its bound?
bool differs_when_repeated(const GradientTrial& t, const GradientPaths& paths,
                           const Finding& failure);

/// Judges whatever differs, and a probe entry against the reference.
Account judge_gradients(const GradientTrial& t, const GradientPaths& paths);

/// The alarms that a version of the case with other low bits raises again.
std::vector<bool> gradients_exceed_again(const GradientTrial& t, const Case& again,
                                         const std::vector<Finding>& alarms);

ElementEvidence gradient_evidence(const GradientTrial& t, const GradientPaths& paths,
                                  const Finding& finding);
void diagnose_gradient(const GradientTrial& t, const GradientPaths& paths, const Finding& failure,
                       Verdict& verdict);
/// A mask on the wrong side: the first op, and no cause where already its operand is wrong.
void diagnose_contradiction(const GradientTrial& t, const GradientPaths& paths, Verdict& verdict);

/// An element of the batch-summed gradients.
struct SummedElement {
  Place place;
  Side side;  ///< of the sum over all rows at once
};
/// The same elements as micro-batches give them, each of which is analysed by itself: what is added
/// up may be off by as much as all parts together, and by the last rounding. `c`: the case that the
/// paths are of.
std::vector<Side> micro_sides(bounds::Analysis& analysis, const GradientTrial& t, const Case& c,
                              const GradientPaths& paths, std::span<const SummedElement> elements,
                              const bounds::AnalysisOptions& options = {});
/// The micro-batch that uses the largest share of its own bound there.
const BatchSum& worst_micro_batch(bounds::Analysis& analysis, const GradientTrial& t,
                                  const GradientPaths& paths, const Place& place);

inline std::size_t parameter_of(const Case& c, const Place& p) { return p.wrt - c.inputs.size(); }

/// d output[row, column] / d element of block wrt, in each layout.
inline float reverse_value(const Jacobian& j, const Place& p) {
  return j.blocks[p.wrt][(p.row * j.outputs + p.column) * j.elements[p.wrt] + p.element];
}
inline float forward_value(const Jacobian& j, const Place& p) {
  return j.blocks[p.wrt][(p.row * j.elements[p.wrt] + p.element) * j.outputs + p.column];
}

}  // namespace ulpfuzz::properties
