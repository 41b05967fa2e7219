#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"
#include "ulpfuzz/diagnosis/hypothesis.hpp"

namespace ulpfuzz::diagnosis {

/// What fp32 evaluations of the evidence's quantity give, element by element, in its layout.
struct Baseline {
  std::vector<double> reference;  ///< exact result
  std::vector<double> bound;    ///< sound, of one evaluation: any order, FMA, position of the bias
  std::vector<double> typical;  ///< standard deviation of one evaluation in a usual order
  std::vector<bool> usable;     ///< whether `bound` holds; if not, the element judges nothing

  std::size_t size() const { return reference.size(); }
};

/// Elements of the evidence's quantity.
std::size_t element_count(const Evidence& evidence);
/// a - b of each element, from whichever the evidence holds (NaN where one result is); empty for an
/// absolute sum.
std::vector<double> differences(const Evidence& evidence);
/// Throws std::invalid_argument where sizes do not fit the network.
void check(const Evidence& evidence);

/// Fills conclusion, verdict, elements, differing, *_max, *_rms, worst (without `where`, whose
/// element is returned) and wrong_side. For an absolute sum: of the sums.
std::size_t conclude(const Evidence& evidence, const Baseline& baseline, Explanation& explanation);

/// Largest rms of `n` independent differences, in typical deviations, that usual orders show.
double usual_rms(std::size_t n);

/// Explanation::verdict of a conclusion.
std::string_view verdict(Conclusion conclusion);

/// Fills cause, remedy and confidence from the conclusion and the matches, the best first. A cause
/// that is there already is that of the best match.
void put_in_words(const Evidence& evidence, Explanation& explanation);

/// The arithmetic of `network` (forward itself, or a derivative of it) where the layers whose bit
/// is set in `pattern` compute as `h`, and the others in fp32; of a hypothesis that is not per
/// layer (`whole`), everything. Where results are kept in a narrow format, a layer of a forward
/// network goes up to the next product; rounding the parameters is left to who evaluates.
LayeredArithmetic layered(const Network& network, const Network& forward, const Hypothesis& h,
                          std::uint64_t pattern);
/// Of each layer: "fp32" or the name of the hypothesis.
std::vector<std::string> layer_names(std::size_t layers, const Hypothesis& h,
                                     std::uint64_t pattern);
/// Whether the hypothesis concerns the evaluation as a whole and not single layers: fp32, FTZ,
/// activation formulas.
bool whole(const Hypothesis& h);
/// Whether results are kept in a narrow format, those of ops that follow a product as well.
bool keeps(const Hypothesis& h);

/// By kind of quantity; `check` has passed.
Explanation explain_outputs(const Evidence& evidence);
Explanation explain_jacobian(const Evidence& evidence);

/// Matches that are no matter of arithmetic (hypothesis: one of signatures(), signature.hpp), those
/// that hold for all elements that fp32 does not explain. `a` or `b`, whichever side is so, holds
/// the name; the other one is {"fp32"}.
std::vector<Match> non_numeric(const Evidence& evidence, const Baseline& baseline);

}  // namespace ulpfuzz::diagnosis
