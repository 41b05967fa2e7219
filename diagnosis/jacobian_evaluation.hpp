#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "jacobian.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::diagnosis {

/// Evaluates a quantity of a network by a subject, in the layout of Evidence: outputs by the
/// network itself, Jacobians by its vjp with all cotangents at once.
class QuantityEvaluator {
 public:
  QuantityEvaluator(const Network& forward, std::span<const Tensor> parameters, Quantity quantity);
  /// Of a given derivative network, for which `forward` gives the layout: its inputs are those of
  /// `forward`, then the cotangents, then `more` of those that `evaluate` is given.
  QuantityEvaluator(const Network& forward, Network derivative, std::span<const Tensor> parameters,
                    Quantity quantity);

  /// What is evaluated: arithmetic by node is by its nodes.
  const Network& network() const { return network_; }

  /// `inputs` as in Evaluation, for `rows` rows. Throws what the subject throws.
  std::vector<float> evaluate(const Subject& subject, std::span<const float* const> inputs,
                              std::size_t rows, std::span<const float* const> more = {}) const;

 private:
  Network network_;
  std::span<const Tensor> parameters_;
  Layout layout_;
};

}  // namespace ulpfuzz::diagnosis
