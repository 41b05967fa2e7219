#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "absolute_sum.hpp"
#include "search.hpp"
#include "signature_altered.hpp"
#include "ulpfuzz/core/fp_environment.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr double explained_sigmas = 3;  // what a prediction in another order may leave

/// fp32 bounds of the outputs, the adjoint ones where they are smaller.
Baseline outputs_baseline(const Evidence& evidence) {
  bounds::Analysis analysis;
  analysis.run(evidence.network, evidence.parameters, evidence.rows, evidence.inputs, Arithmetic{});
  for (std::size_t row = 0; row < evidence.rows; ++row) analysis.refine(row);
  const bounds::OutputBounds all = analysis.output(0);
  Baseline b;
  b.reference.assign(all.reference.begin(), all.reference.end());
  b.bound.assign(all.sound.begin(), all.sound.end());
  for (const bounds::Judgement j : all.judgement)
    b.usable.push_back(j == bounds::Judgement::usable || j == bounds::Judgement::exact);
  const auto typical = analysis.typical(0);
  b.typical.assign(typical.begin(), typical.end());
  if (typical.empty())
    for (const double sigma : all.sigma) b.typical.push_back(0.42466 * sigma);
  return b;
}

/// Where fp32 explains all, another class must predict (nearly) all bits, or leave so little that
/// none of so many patterns and orders would by chance.
bool is_chance(const Explanation& e) {
  const Match& m = e.matches.front();
  if (m.hypothesis == "fp32") return false;
  constexpr double nearly_all = 0.9, most_left = 0.3, nats = 20;
  if (m.telling > 0 &&
      static_cast<double>(m.telling_exact) >= nearly_all * static_cast<double>(m.telling))
    return false;
  const double left = e.observed_rms > 0 ? m.residual_rms / e.observed_rms : 1;
  return left > most_left || -std::log(left) * static_cast<double>(e.differing) < nats;
}

Match plain_match(Scene& scene, const Evidence& evidence, const Baseline& baseline) {
  Match m = match_of(scene, {});
  const auto y = scene.predict(0, 0, 0, Rows::all);
  measure(evidence, baseline, y, y, m);
  return m;
}

/// Arithmetic that predicts every bit; else a slip that explains what fp32 does not; else the
/// arithmetic that fits best.
void name_cause(const Evidence& evidence, const Baseline& baseline, Explanation& e) {
  Scene scene(evidence, baseline);
  if (!evidence.difference.empty()) {
    if (e.differing > 0) e.matches = match_difference(scene, evidence, baseline);
  } else {
    e.matches = match_sides(scene, evidence, baseline, Depth::exact);
    if (!e.matches.empty()) {
      // Not typical, but every bit is what fp32 in two orders gives.
      if (e.conclusion == Conclusion::suspicious && e.matches.front().hypothesis == "fp32") {
        e.conclusion = Conclusion::reordering;
        e.verdict = verdict(e.conclusion);
      }
      return;
    }
  }
  const auto d = differences(evidence);
  const bool finite = std::all_of(d.begin(), d.end(), [](double x) { return std::isfinite(x); });
  const bool explained =
      !e.matches.empty() && (e.matches.front().exact == e.elements ||
                             (finite && e.matches.front().residual_sigmas < explained_sigmas));
  if (e.conclusion == Conclusion::other_cause && !explained) {
    if (auto slips = non_numeric(evidence, baseline); !slips.empty()) e.matches = std::move(slips);
    if (too_large_to_alter_by_layer(evidence.network, evidence.parameters))
      e.notes.emplace_back(
          "the network is large: a slip in a single layer was not looked for, only in all at once");
  }
  if (e.matches.empty() && !evidence.a.empty())
    e.matches = match_sides(scene, evidence, baseline, Depth::best);
  if (e.conclusion == Conclusion::reordering && !e.matches.empty() && is_chance(e))
    e.matches = {plain_match(scene, evidence, baseline)};
}

}  // namespace

Explanation explain_outputs(const Evidence& evidence) {
  const FpGuard guard;
  if (evidence.absolute_sum) return explain_absolute_sum(evidence);
  const Baseline baseline = outputs_baseline(evidence);
  Explanation e;
  const std::size_t worst = conclude(evidence, baseline, e);
  const std::size_t width = baseline.size() / evidence.rows;
  e.worst.where = fmt::format("row {}, output {}", worst / width, worst % width);
  name_cause(evidence, baseline, e);
  put_in_words(evidence, e);
  add_notes(evidence, e);
  return e;
}

}  // namespace ulpfuzz::diagnosis
