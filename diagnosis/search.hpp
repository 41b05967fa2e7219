#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "scene.hpp"

namespace ulpfuzz::diagnosis {

/// How one side may have been computed.
struct Candidate {
  std::size_t variant = 0;
  Pattern pattern = 0;  ///< 0: plain fp32, variant 0
  std::size_t order = 0;
  double score = 0;  ///< negative log-likelihood; smaller is better
  double noise = 0;  ///< as in Prediction
};

std::size_t hypothesis_of(const Candidate& c);

/// How both sides may have been computed.
struct PairCandidate {
  Candidate a, b;
  double score = 0;
};

/// Predictions for the few rows in the first order, under a family and a pattern.
struct Prediction {
  std::size_t family = 0;
  Pattern pattern = 0;
  std::vector<float> values;
  double noise = 0;  ///< by how much orders of summation move it, rms; of fp32 sums: 0
};

/// Whether every pattern is tried: of up to 4 layers always; of up to `most` where the network is
/// small.
bool is_exhaustive(const Scene& scene, std::size_t most);
/// Of one side, and of pairs, of which there are so many more.
inline constexpr std::size_t most_layers = 10, most_layers_of_pairs = 7;

/// Adds those of one family under some patterns.
void add_predictions(Scene& scene, std::size_t family, std::span<const Pattern> patterns,
                     std::vector<Prediction>& list);

/// Under every family: with every pattern, or with some.
std::vector<Prediction> predict_all(Scene& scene, bool exhaustive);

/// Same bits, or both NaN; -0 is not +0.
bool same_value(float a, float b);
/// Numerically equal, or both NaN.
bool equal_value(float a, float b);
bool same_values(std::span<const float> a, std::span<const float> b);
/// Same difference, as fp64 or as fp32 keeps it.
bool same_difference(double a, double b);

/// Negative log-likelihood of what was observed, if errors are Cauchy distributed about what was
/// predicted, with the scale of each element: a rounding boundary that is straddled moves an
/// element by a whole quantum, so tails are heavy.
double score(std::span<const double> observed, std::span<const double> predicted,
             std::span<const double> scale);

/// Of each element: how far off its prediction may be.
std::vector<double> scales(const Prediction& prediction, std::span<const double> typical);

/// Adds, family by family, the patterns that a greedy search from the best one so far comes by: for
/// networks of more layers than are searched exhaustively.
void deepen(Scene& scene, std::vector<Prediction>& list, std::span<const float> observed,
            const Baseline& baseline);
void deepen_pairs(Scene& scene, std::vector<Prediction>& list, std::span<const double> observed,
                  const Baseline& baseline);

/// Candidates for one side that no score rules out, best first.
std::vector<Candidate> screen(Scene& scene, std::span<const Prediction> predictions,
                              std::span<const float> observed, const Baseline& baseline);
/// All there are.
std::vector<Candidate> everything(std::span<const Prediction> predictions);
/// Whether orders of summation differ by more than fp32 roundings.
bool is_sensitive(const Candidate& c);

/// Of these, those that predict every bit of what was observed in one of the orders, the first
/// such.
std::vector<Candidate> confirm(Scene& scene, std::span<const Candidate> candidates,
                               std::span<const float> observed,
                               std::span<const std::size_t> in_orders);
std::vector<std::size_t> all_orders();

/// Gives each candidate the order and score that fit best.
void fit(Scene& scene, std::span<Candidate> candidates, std::span<const float> observed,
         const Baseline& baseline);

/// Puts the pair first that explains most with least: a class other than fp32 must fit better by a
/// part of a nat for each of the `elements` that scores are of, and two different ones by more.
void choose(std::vector<PairCandidate>& pairs, std::size_t elements);

/// Simplest first: one class before two, finer arithmetic before coarser, few layers before many.
void sort_by_simplicity(std::vector<PairCandidate>& pairs);

/// How far a search goes: to what is likely and predicts every bit, or to what fits best.
enum class Depth : std::uint8_t { exact, best };

/// Matches from what may be so on each side.
std::vector<Match> match_sides(Scene& scene, const Evidence& evidence, const Baseline& baseline,
                               Depth depth);
std::vector<Match> match_difference(Scene& scene, const Evidence& evidence,
                                    const Baseline& baseline);
Match match_of(const Scene& scene, const PairCandidate& pair);

/// Notes on the best match: what gives the same bits, what its own bound says, what batch sizes
/// explain.
void add_notes(const Evidence& evidence, Explanation& explanation);

/// Whether a result is within its fp32 bound and as near to the reference as usual orders are;
/// `independent`: how many elements do not share their errors.
bool is_usual(const Baseline& baseline, std::span<const float> side,
              std::size_t independent = std::numeric_limits<std::size_t>::max());

/// Fills exact, residual, left and correlation of a match from its predictions for all rows.
void measure(const Evidence& evidence, const Baseline& baseline, std::span<const float> a,
             std::span<const float> b, Match& match);

}  // namespace ulpfuzz::diagnosis
