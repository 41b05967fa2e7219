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

/// What the schedules gave. `forward` is missing where the subject does not evaluate the jvp
/// networks, `whole` and `micro` where the case has no cotangents or its split no rows.
struct GradientPaths {
  Jacobian loop;
  Jacobian reverse;
  std::optional<Jacobian> forward;
  std::vector<std::uint32_t> rows;  ///< of the batch-summed gradients: the split's, in order
  std::vector<std::vector<float>> whole;
  std::vector<std::vector<float>> micro;  ///< micro-batches, added up exactly, then rounded
  std::vector<std::vector<double>> micro_rounding;  ///< what storing them may round
};

/// A trial with the networks derived for it.
struct GradientTrial {
  const Trial& trial;
  const DerivedNetworks& derived;
  bool with_forward = true;
};

GradientPaths evaluate_gradients(const GradientTrial& t, const Case& c);

/// Only rows, whole and micro.
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

/// The side of a sum over micro-batches, whose parts were rounded before they were added.
Side micro_side(Side s, double rounding);

/// d output[row, column] / d element of block wrt, in each layout.
inline float reverse_value(const Jacobian& j, const Place& p) {
  return j.blocks[p.wrt][(p.row * j.outputs + p.column) * j.elements[p.wrt] + p.element];
}
inline float forward_value(const Jacobian& j, const Place& p) {
  return j.blocks[p.wrt][(p.row * j.elements[p.wrt] + p.element) * j.outputs + p.column];
}

}  // namespace ulpfuzz::properties
