#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::diagnosis {

/// What was computed: the outputs, or per-row Jacobians with respect to all parameters or inputs.
enum class Quantity : std::uint8_t { outputs, parameter_jacobian, input_jacobian };

/// Two results of one forward network that should agree, or their difference alone.
///   outputs              [rows, output width]
///   parameter_jacobian   [rows, output width, elements of all parameters, in order]
///   input_jacobian       [rows, output width, elements of all inputs, in order]
struct Evidence {
  const Network& network;
  std::span<const Tensor> parameters;
  std::size_t rows = 0;
  std::span<const float* const> inputs;  ///< one an input node: [rows, size]
  Quantity quantity = Quantity::outputs;
  std::span<const float> a, b;           ///< both, or
  std::span<const double> difference;    ///< a - b, as it was printed or kept, or
  std::optional<double> absolute_sum;    ///< sum of |a - b| over all elements
  std::size_t batch_a = 0, batch_b = 0;  ///< rows of the evaluations these are part of; 0: unknown
};

enum class Conclusion : std::uint8_t {
  equal,        ///< no element differs
  reordering,   ///< within what fp32 evaluations may differ by, and typical of them
  suspicious,   ///< within the sound bound, but not typical: the cause says what fits better
  other_cause,  ///< beyond the sound bound of fp32 in some element: certainly not reordering
  undecidable   ///< no bound speaks here
};

/// One candidate that explains the evidence, in words of the list of hypotheses.
struct Match {
  std::string hypothesis;         ///< as in hypotheses(): "tf32 rna ada", "doubled"
  std::vector<std::string> a, b;  ///< arithmetic of each layer on each path: "fp32", "tf32 rna"
  std::size_t exact = 0;          ///< elements predicted bit for bit
  double residual_rms = 0;        ///< what the prediction leaves unexplained
  double residual_sigmas = 0;     ///< the same in typical deviations of fp32; about 1: all of it
  double correlation = 0;         ///< of prediction and observation
  /// Largest part (rms) of the difference, and of what a wrong side is off the reference, that the
  /// prediction leaves, where these are larger than fp32 usually gives; 1: explains nothing.
  double left = 0;
  /// Elements that are not what exact arithmetic gives on both sides, and how many of them are
  /// predicted bit for bit: zeros and other certain values support no hypothesis.
  std::size_t telling = 0, telling_exact = 0;
  /// Order of summation that the prediction rests on, on each path: "pairwise, FMA, bias last".
  std::string summation_a, summation_b;
};

/// The element that uses most of its bound.
struct WorstElement {
  std::string where;  ///< "row 0, output 1", "row 1, d output 3 / d parameter 2[0][4]"
  double difference = 0;
  double bound = 0;
  double reference = 0;
  std::optional<std::uint64_t> ulps;  ///< where both are known, finite, of one sign
};

/// The elements of one row that a bound speaks of, of outputs; NaN where there is none.
struct RowSummary {
  double difference_max = 0;
  double bound_max = 0;  ///< of |a - b|, as in WorstElement
  double ratio_max = 0;  ///< largest difference / bound
};

struct Explanation {
  Conclusion conclusion = Conclusion::undecidable;
  std::string verdict;  ///< of the conclusion: "not fp32 reordering"
  std::string cause;    ///< one line: class, layers and path
  /// The best, then those that predict the same bits here and cannot be told from it.
  std::vector<Match> matches;
  bool unexplained = false;  ///< `matches` are no more than what comes nearest
  std::size_t elements = 0;
  std::size_t differing = 0;
  std::size_t judged = 0;              ///< elements that a bound speaks of
  std::size_t unjudged_differing = 0;  ///< of the others, those that differ
  double reorder_bound_max = 0;        ///< largest sound bound of |a - b| for fp32 in any order
  double difference_max = 0;
  double ratio_max = 0;  ///< largest difference / bound
  WorstElement worst;
  std::vector<RowSummary> rows;  ///< one a row of the evidence; of outputs alone
  double typical_rms = 0;        ///< of the difference of two fp32 evaluations in usual orders
  double observed_rms = 0;
  std::string wrong_side;  ///< "a", "b", "both": against the reference; empty if none or unknown
  std::string remedy;
  std::string confidence;  ///< in words, with what it rests on
  std::vector<std::string> notes;
};

/// Judges the evidence and names the cause (docs/bounds.md, "Naming the cause"). Throws
/// std::invalid_argument where sizes do not fit the network.
Explanation explain(const Evidence& evidence);

}  // namespace ulpfuzz::diagnosis
