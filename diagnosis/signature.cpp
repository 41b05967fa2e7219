#include <algorithm>
#include <cmath>

#include "signature_inquiry.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// Of the difference alone: the values of the side, if the other one is right.
FailingSide side_of(const Evidence& e, const Baseline& base, char name) {
  FailingSide side;
  side.name = name;
  side.bits = name == 'a' ? e.a : e.b;
  const std::size_t n = base.size();
  side.values.resize(n);
  side.tolerance.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    side.tolerance[i] = fp32_tolerance(base.bound[i], base.typical[i]);
    if (!side.bits.empty()) {
      side.values[i] = side.bits[i];
    } else {
      side.values[i] = base.reference[i] + (name == 'a' ? 1 : -1) * e.difference[i];
      side.tolerance[i] *= 2;
    }
    if (!base.usable[i]) continue;
    if (!(std::fabs(side.values[i] - base.reference[i]) <= side.tolerance[i]))
      side.failing.push_back(i);
  }
  return side;
}

std::vector<Explained> inquire(const Evidence& e, const Baseline& base, const Layout& layout,
                               const FailingSide& side) {
  Inquiry inquiry(e, base, layout, side);
  try_unwritten(inquiry);
  try_factors(inquiry);
  try_other_rows(inquiry);
  try_neighbours(inquiry);
  try_altered(inquiry);
  try_masks(inquiry);
  std::vector<Explained> found = inquiry.found();
  for (Explained& x : found) x.predict = nullptr;  // it looks at the inquiry
  return found;
}

/// Residual, correlation and exact elements of a signature on one side, the other being as it is.
void measure(const Evidence& e, const Baseline& base, const FailingSide& side, const Explained& x,
             Match& m) {
  const std::vector<double> d = differences(e);
  const double sign = side.name == 'a' ? 1 : -1;
  double left = 0, typical = 0, both = 0, seen = 0, said = 0;
  std::size_t next = 0, counted = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    double rest = d[i];
    double told = 0;
    const bool fails = next < side.failing.size() && side.failing[next] == i;
    if (fails) {
      told = sign * (x.predicted[next] - base.reference[i]);
      rest = side.values[i] - x.predicted[next];
      m.exact += side.values[i] == static_cast<double>(static_cast<float>(x.predicted[next])) ||
                 (std::isnan(side.values[i]) && std::isnan(x.predicted[next]));
      ++next;
    } else {
      m.exact += d[i] == 0;
    }
    if (!std::isfinite(rest) || !std::isfinite(told) || !base.usable[i]) continue;
    ++counted;
    left += rest * rest;
    typical += 2 * base.typical[i] * base.typical[i];
    both += told * d[i];
    seen += d[i] * d[i];
    said += told * told;
  }
  if (counted > 0) m.residual_rms = std::sqrt(left / static_cast<double>(counted));
  if (typical > 0) m.residual_sigmas = std::sqrt(left / typical);
  if (seen > 0 && said > 0) m.correlation = both / std::sqrt(seen * said);
}

}  // namespace

std::vector<Match> non_numeric(const Evidence& evidence, const Baseline& baseline) {
  std::vector<Match> matches;
  if (evidence.absolute_sum || baseline.size() == 0) return matches;
  const Layout layout = layout_of(evidence.network, evidence.quantity, evidence.rows);
  const FailingSide sides[] = {side_of(evidence, baseline, 'a'), side_of(evidence, baseline, 'b')};
  const bool alone = evidence.a.empty();
  std::vector<Explained> found[2];
  for (int s = 0; s < 2; ++s) {
    if (!sides[s].failing.empty()) found[s] = inquire(evidence, baseline, layout, sides[s]);
  }
  // Both results wrong: only what explains both explains the evidence.
  const bool both = !alone && !sides[0].failing.empty() && !sides[1].failing.empty();
  for (int s = 0; s < 2; ++s) {
    for (const Explained& x : found[s]) {
      const auto same = std::find_if(found[1 - s].begin(), found[1 - s].end(),
                                     [&](const Explained& o) { return o.name == x.name; });
      if (both && (s == 1 || same == found[1 - s].end())) continue;
      Match m;
      m.hypothesis = x.name;
      m.a = {s == 0 || both ? x.name : "fp32"};
      m.b = {s == 1 || both ? x.name : "fp32"};
      measure(evidence, baseline, sides[s], x, m);
      matches.push_back(std::move(m));
    }
  }
  return matches;
}

}  // namespace ulpfuzz::diagnosis
