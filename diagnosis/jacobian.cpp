#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "absolute_sum.hpp"
#include "engine.hpp"
#include "jacobian_arithmetic.hpp"
#include "jacobian_masks.hpp"
#include "signature.hpp"
#include "signature_altered.hpp"
#include "ulpfuzz/core/fp_environment.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t most_notes = 8;

RowValues values_of(const Evidence& e, std::size_t row, std::size_t size) {
  const auto part = [&](auto all) { return all.empty() ? all : all.subspan(row * size, size); };
  return {part(e.a), part(e.b), part(e.difference)};
}

/// Lambda of all kinks' z together; 0 where rounding errors need not be random.
double lambda_of_kinks(const Evidence& e, const std::vector<Kink>& kinks) {
  std::size_t units = 0;
  for (const Kink& k : kinks) units += e.network.node(k.operand).shape.size();
  const bool random = std::all_of(e.parameters.begin(), e.parameters.end(), [](const Tensor& t) {
    return t.rows < 2 || bounds::has_random_low_bits(t.data);
  });
  return random && units > 0 ? bounds::lambda(units * e.rows) : 0;
}

/// What is told of the rows' masks.
struct MaskReport {
  std::size_t widened = 0, probable = 0;
  std::vector<std::string> flips;

  void add(const SettledRow& row, const Evidence& e, const std::vector<Kink>& kinks,
           std::size_t r) {
    widened += row.how == SettledRow::How::widened;
    probable += row.probable;
    for (const Unit& u : row.differing)
      flips.push_back(
          u.z == 0 ? fmt::format("the slope of {} differs between a and b: its z is 0, where any "
                                 "slope between is right; that is no fault",
                                 describe(u, kinks, e.network, r))
                   : fmt::format("the mask of {} differs between a and b: its z is within rounding "
                                 "of 0, so that is reordering, no fault",
                                 describe(u, kinks, e.network, r)));
  }

  void put(std::vector<std::string>& notes) const {
    for (std::size_t i = 0; i < std::min(most_notes, flips.size()); ++i) notes.push_back(flips[i]);
    if (flips.size() > most_notes)
      notes.push_back(fmt::format("and {} more such units", flips.size() - most_notes));
    if (probable > 0)
      notes.push_back(
          fmt::format("in {} rows more than {} masks are undecided by worst-case "
                      "bounds; deviations decided which",
                      probable, most_enumerated));
    if (widened > 0)
      notes.push_back(
          fmt::format("in {} rows masks could not be told; bounds there cover both "
                      "slopes of each undecided unit",
                      widened));
  }
};

/// One reference for both sides: half way between those of their masks; each side is within its
/// bound of its own.
void append(const SettledRow& row, Baseline& baseline) {
  for (std::size_t i = 0; i < row.a.reference.size(); ++i) {
    const double apart = std::fabs(row.a.reference[i] - row.b.reference[i]);
    const double bound = apart / 2 + std::max(row.a.sound[i], row.b.sound[i]);
    baseline.reference.push_back((row.a.reference[i] + row.b.reference[i]) / 2);
    baseline.bound.push_back(std::isfinite(bound) ? bound : 0);
    baseline.typical.push_back(std::max(row.a.typical[i], apart / 2));
    baseline.usable.push_back(std::isfinite(bound));
  }
}

/// Elements of one gradient share the errors of what it is made of: of those of a row and an output
/// no more than one counts as independent.
bool usual(const Evidence& e, const Baseline& baseline, const Layout& layout) {
  const std::vector<double> d = differences(e);
  double squares = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (!baseline.usable[i] || !(baseline.typical[i] > 0)) continue;
    squares += d[i] * d[i] / (2 * baseline.typical[i] * baseline.typical[i]);
    ++n;
  }
  const double rms = n == 0 ? 0 : std::sqrt(squares / static_cast<double>(n));
  return rms <= usual_rms(layout.rows * layout.outputs);
}

bool all_fp32(const Match& m) {
  const auto plain = [](const std::string& s) { return s == "fp32"; };
  return std::all_of(m.a.begin(), m.a.end(), plain) && std::all_of(m.b.begin(), m.b.end(), plain);
}

void settle_on(Conclusion conclusion, Explanation& out) {
  out.conclusion = conclusion;
  out.verdict = verdict(conclusion);
}

/// Elements up to which the arithmetic is looked for even where reordering explains all.
constexpr std::size_t most_curious = 20000;

void name_cause(const Evidence& e, const Baseline& baseline, Explanation& out) {
  const bool beyond =
      out.conclusion == Conclusion::other_cause || out.conclusion == Conclusion::suspicious;
  const bool curious = out.conclusion == Conclusion::reordering && out.elements <= most_curious &&
                       e.difference.empty();
  if (beyond || curious) {
    // Slips first: they are told beyond doubt, and arithmetic takes longer to look for.
    if (beyond) out.matches = non_numeric(e, baseline);
    if (beyond && too_large_to_alter_by_layer(e.network, e.parameters))
      out.notes.emplace_back(
          "the network is large: a slip in a single layer was not looked for, only in all at once");
    JacobianMatches found;
    if (out.matches.empty()) found = match_jacobians(e, baseline);
    const bool exact = !found.matches.empty() && found.matches.front().exact == out.elements;
    const bool arithmetic = !found.matches.empty() && (beyond || exact);
    if (arithmetic) out.matches = std::move(found.matches);
    // Not typical, but every bit is what fp32 in two orders gives.
    if (exact && out.conclusion == Conclusion::suspicious && all_fp32(out.matches.front()))
      settle_on(Conclusion::reordering, out);
    if (arithmetic) out.cause = std::move(found.cause);
    put_in_words(e, out);
    return;
  }
  put_in_words(e, out);
}

}  // namespace

Explanation explain_jacobian(const Evidence& evidence) {
  if (evidence.absolute_sum) return explain_absolute_sum(evidence);
  const FpGuard guard;
  const Layout layout = layout_of(evidence.network, evidence.quantity, evidence.rows);
  KinkJudge kinks(evidence.network, evidence.parameters, analysis_options(evidence.network));
  RowJudge judge(evidence.network, evidence.parameters, evidence.quantity, true);
  MaskSettler settler(kinks, judge, lambda_of_kinks(evidence, kinks.kinks()));
  Baseline baseline;
  MaskReport masks;
  for (std::size_t r = 0; r < evidence.rows; ++r) {
    const auto inputs = row_inputs(evidence.network, evidence.inputs, r);
    const SettledRow row = settler.settle(inputs, values_of(evidence, r, layout.row_size()));
    append(row, baseline);
    masks.add(row, evidence, kinks.kinks(), r);
  }
  Explanation out;
  out.worst.where = layout.where(conclude(evidence, baseline, out));
  if (out.conclusion == Conclusion::suspicious && usual(evidence, baseline, layout))
    settle_on(Conclusion::reordering, out);
  name_cause(evidence, baseline, out);
  masks.put(out.notes);
  if (!judge.covers_forward_mode())
    out.notes.push_back(
        "too large to bound forward-mode differentiation too: bounds hold for reverse mode");
  return out;
}

}  // namespace ulpfuzz::diagnosis
