#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine.hpp"
#include "jacobian_evaluation.hpp"
#include "jacobian_parts.hpp"

namespace ulpfuzz::diagnosis {

/// How one side's Jacobian may have been computed: the products of a plan by a variant of a
/// hypothesis, in an order of summation.
struct JacobianCandidate {
  std::size_t variant = 0;  ///< 0: plain fp32, whatever the plan
  std::size_t plan = 0;
  std::size_t order = 0;
  double score = 0;
  double noise = 0;  ///< by how much orders of summation move it, rms
};

/// Predicts Jacobians under hypotheses.
class JacobianScene {
 public:
  JacobianScene(const Evidence& evidence, const Baseline& baseline);

  std::size_t plan_count() const { return plans_.size(); }
  bool applies(std::size_t variant) const;
  /// The sampled elements: of rows that differ most, a few thousand.
  std::span<const std::size_t> sample() const { return sample_; }
  template <class T>
  std::vector<double> sampled(std::span<const T> all) const {
    std::vector<double> part;
    for (const std::size_t i : sample_) part.push_back(static_cast<double>(all[i]));
    return part;
  }
  std::vector<double> predict_sample(const JacobianCandidate& c) const;
  std::vector<float> predict(const JacobianCandidate& c) const;
  Match match_of(const JacobianCandidate& a, const JacobianCandidate& b) const;
  /// "TF32, inputs truncated, in the forward pass alone on side b, fp32 on the other".
  std::string words_of(const JacobianCandidate& a, const JacobianCandidate& b) const;
  /// Elements that share no errors: no more than one of a row and an output.
  std::size_t independent() const { return layout_.rows * layout_.outputs; }
  /// Multiply-adds of one evaluation of the sample's rows, about.
  double work() const { return work_; }

 private:
  std::vector<float> evaluate(const JacobianCandidate& c, std::span<const float* const> inputs,
                              std::size_t rows) const;

  const Evidence& evidence_;
  Layout layout_;
  std::optional<Network> swapped_;  ///< with the other GELU formula
  QuantityEvaluator evaluator_;
  std::optional<QuantityEvaluator> swapped_evaluator_;
  std::vector<Plan> plans_;
  bool has_exp_ = false, has_tanh_ = false;
  std::vector<std::size_t> rows_;  ///< of the sample
  std::vector<std::vector<float>> row_inputs_;
  std::vector<const float*> row_pointers_;
  std::vector<std::size_t> sample_, sample_at_;
  double work_ = 0;
};

struct JacobianMatches {
  std::vector<Match> matches;
  std::string cause;  ///< of the first
};

/// The hypotheses, parts and layers that explain the Jacobians best, and those that predict the
/// same bits.
JacobianMatches match_jacobians(const Evidence& evidence, const Baseline& baseline);

}  // namespace ulpfuzz::diagnosis
