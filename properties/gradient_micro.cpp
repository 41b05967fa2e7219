#include <algorithm>
#include <cmath>
#include <limits>

#include "gradient.hpp"

namespace ulpfuzz::properties {
namespace {

using bounds::Judgement;

/// What is known of a sum of elements. An infinite or undefined part decides nothing: the order in
/// which a subject would add it up is not that of the whole.
Judgement of_sum(Judgement a, Judgement b) {
  const auto either = [&](Judgement j) { return a == j || b == j; };
  if (either(Judgement::no_bound) || either(Judgement::nonfinite)) return Judgement::no_bound;
  if (either(Judgement::range)) return Judgement::range;
  return either(Judgement::usable) ? Judgement::usable : Judgement::exact;
}

/// Errors add up; deviations, for now, as squares.
void add(Side& sum, const Side& part) {
  sum.reference += part.reference;
  sum.sound += part.sound;
  sum.sigma += part.sigma * part.sigma;
  sum.local += part.local;
  sum.judgement = of_sum(sum.judgement, part.judgement);
}

/// Parts are added in fp64, whose roundings are those of their sizes, and the sum is stored in
/// fp32. Where no part and no total can round, neither can do anything.
void round(Side& sum, const SummedElement& element, double sizes, std::size_t parts) {
  if (sum.judgement == Judgement::exact && element.side.judgement == Judgement::exact) return;
  if (sum.judgement == Judgement::exact) sum.judgement = Judgement::usable;
  const double rounding = unit_roundoff_fp32 * (std::fabs(sum.reference) + sum.sound) +
                          static_cast<double>(parts) * 0x1p-53 * sizes + 0x1p-150;
  sum.sound += rounding;
  sum.local += rounding;
  // What errors of one source, as of a converted parameter, do in all rows is in the whole's.
  sum.sigma = std::sqrt(element.side.sigma * element.side.sigma + sum.sigma + rounding * rounding);
  if (std::fabs(sum.reference) + sum.sound > std::numeric_limits<float>::max()) {
    sum.judgement = Judgement::no_bound;
  }
}

void analyse(bounds::Analysis& analysis, Gather& gather, const GradientTrial& t, const Case& c,
             const BatchSum& sum, const bounds::AnalysisOptions& options) {
  analysis.run(t.derived.summed, c.parameters, sum.rows.size(), gather.with_cotangents(c, sum.rows),
               t.trial.subject.arithmetic(), {}, options);
}

BatchSum evaluate(const GradientTrial& t, const Case& c, std::vector<std::uint32_t> rows) {
  auto gradients = gradient_summed(t.trial.context.caller, t.trial.subject, c, t.derived, rows);
  return {std::move(rows), std::move(gradients)};
}

std::vector<float> added_up(const std::vector<BatchSum>& parts, std::size_t parameter) {
  std::vector<double> total(parts.front().gradients[parameter].size(), 0);
  for (const BatchSum& part : parts) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += double{part.gradients[parameter][i]};
  }
  std::vector<float> rounded(total.size());
  std::transform(total.begin(), total.end(), rounded.begin(),
                 [](double x) { return static_cast<float>(x); });
  return rounded;
}

}  // namespace

void evaluate_summed(const GradientTrial& t, const Case& c, GradientPaths& paths) {
  std::vector<std::uint32_t> all;
  for (const Slice& slice : c.split) all.insert(all.end(), slice.rows.begin(), slice.rows.end());
  if (all.empty() || c.cotangents.data.empty()) return;
  paths.whole = evaluate(t, c, std::move(all));
  for (const Slice& slice : c.split) {
    if (!slice.rows.empty()) paths.micro_batches.push_back(evaluate(t, c, slice.rows));
  }
  for (std::size_t p = 0; p < paths.whole.gradients.size(); ++p) {
    paths.micro.push_back(added_up(paths.micro_batches, p));
  }
}

std::vector<Side> micro_sides(bounds::Analysis& analysis, const GradientTrial& t, const Case& c,
                              const GradientPaths& paths, std::span<const SummedElement> elements,
                              const bounds::AnalysisOptions& options) {
  if (elements.empty()) return {};
  std::vector<Side> sums(elements.size(), Side{.judgement = Judgement::exact});
  std::vector<double> sizes(elements.size(), 0);
  Gather gather;
  for (const BatchSum& part : paths.micro_batches) {
    analyse(analysis, gather, t, c, part, options);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const Place& place = elements[i].place;
      const Side s = side(analysis.output(place.wrt), place.element);
      add(sums[i], s);
      sizes[i] += std::fabs(s.reference) + s.sound;
    }
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    round(sums[i], elements[i], sizes[i], paths.micro_batches.size());
  }
  return sums;
}

const BatchSum& worst_micro_batch(bounds::Analysis& analysis, const GradientTrial& t,
                                  const GradientPaths& paths, const Place& place) {
  const std::size_t parameter = parameter_of(t.trial.c, place);
  const BatchSum* worst = &paths.micro_batches.front();
  double largest = -1;
  Gather gather;
  for (const BatchSum& part : paths.micro_batches) {
    analyse(analysis, gather, t, t.trial.c, part, {});
    const Side s = side(analysis.output(place.wrt), place.element);
    const Judged judged = judge_reference(part.gradients[parameter][place.element], s, 1, true);
    const double share = judged.failure == FailureClass::nonfinite_mismatch
                             ? std::numeric_limits<double>::infinity()
                             : judged.share_sound();
    if (share > largest) worst = &part, largest = share;
  }
  return *worst;
}

}  // namespace ulpfuzz::properties
