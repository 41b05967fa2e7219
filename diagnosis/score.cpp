#include <algorithm>
#include <cmath>

#include "search.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::diagnosis {

bool same_value(float a, float b) { return same_bits(a, b) || (std::isnan(a) && std::isnan(b)); }

bool equal_value(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same_values(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_value);
}

bool same_difference(double a, double b) {
  return a == b || static_cast<float>(a) == static_cast<float>(b) ||
         (std::isnan(a) && std::isnan(b));
}

double score(std::span<const double> observed, std::span<const double> predicted,
             std::span<const double> scale) {
  constexpr double overflow = 100;  // of a prediction where the result is finite, in nats
  double sum = 0, product = 1;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double r = (observed[i] - predicted[i]) / scale[i];
    if (std::isfinite(observed[i]) && !std::isfinite(predicted[i])) sum += overflow;
    if (std::isnan(r)) continue;
    // One logarithm for several factors, none of which leaves the range of a double for a while.
    const double factor = scale[i] * (1 + r * r);
    if (!std::isfinite(factor) || factor == 0) continue;
    product *= factor;
    if (product > 1e-150 && product < 1e150) continue;
    sum += std::log(product);
    product = 1;
  }
  return sum + std::log(product);
}

namespace {

/// What is seen of something and what is left of it, rms.
struct Leftover {
  double seen = 0, left = 0, typical = 0;
  std::size_t n = 0;
  bool infinite = false;  ///< a prediction overflows where the result does not

  void add(double observed, double rest, double sigma) {
    if (!std::isfinite(observed)) return;
    infinite = infinite || !std::isfinite(rest);
    seen += observed * observed;
    if (std::isfinite(rest)) left += rest * rest;
    typical += sigma * sigma;
    ++n;
  }
  /// The part left; 0 where what is seen is as small as fp32 usually gives.
  double part() const {
    constexpr double usual = 2;
    if (infinite) return HUGE_VAL;
    return n == 0 || seen <= usual * usual * typical ? 0 : std::sqrt(left / seen);
  }
};

Leftover of_side(const Baseline& base, std::span<const float> seen, std::span<const float> said) {
  Leftover all;
  bool wrong = false;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!base.usable[i]) continue;
    const double off = double{seen[i]} - base.reference[i];
    wrong = wrong || !(std::fabs(off) <= base.bound[i]);
    all.add(off, double{seen[i]} - double{said[i]}, base.typical[i]);
  }
  return wrong || all.infinite ? all : Leftover{};
}

}  // namespace

void measure(const Evidence& evidence, const Baseline& baseline, std::span<const float> a,
             std::span<const float> b, Match& match) {
  const bool both = !evidence.a.empty();
  const std::vector<double> observed = differences(evidence);
  double residual = 0, sigmas = 0, ab = 0, aa = 0, bb = 0;
  std::size_t counted = 0, judged = 0;
  Leftover apart;
  match.exact = match.telling = match.telling_exact = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double predicted = a[i] == b[i] ? 0 : double{a[i]} - double{b[i]};
    const bool exact = both ? equal_value(a[i], evidence.a[i]) && equal_value(b[i], evidence.b[i])
                            : same_difference(predicted, observed[i]);
    const bool telling =
        observed[i] != 0 || (both && !(evidence.a[i] == static_cast<float>(baseline.reference[i])));
    match.exact += exact;
    match.telling += telling;
    match.telling_exact += telling && exact;
    const double r = observed[i] - predicted;
    if (baseline.usable[i]) apart.add(observed[i], r, std::sqrt(2.0) * baseline.typical[i]);
    if (!std::isfinite(r)) continue;
    ++counted;
    residual += r * r;
    ab += predicted * observed[i];
    aa += predicted * predicted;
    bb += observed[i] * observed[i];
    if (!(baseline.typical[i] > 0)) continue;
    ++judged;
    sigmas += r * r / (2 * baseline.typical[i] * baseline.typical[i]);
  }
  const auto mean = [](double sum, std::size_t n) {
    return n == 0 ? 0 : std::sqrt(sum / static_cast<double>(n));
  };
  match.residual_rms = mean(residual, counted);
  match.residual_sigmas = mean(sigmas, judged);
  match.correlation = aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : aa == bb ? 1 : 0;
  match.left = apart.part();
  if (both)
    match.left = std::max({match.left, of_side(baseline, evidence.a, a).part(),
                           of_side(baseline, evidence.b, b).part()});
}

bool is_usual(const Baseline& base, std::span<const float> side, std::size_t independent) {
  double squares = 0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (!base.usable[i]) continue;
    const double off = double{side[i]} - base.reference[i];
    if (!(std::fabs(off) <= base.bound[i])) return false;
    if (!(base.typical[i] > 0)) continue;
    squares += off * off / (base.typical[i] * base.typical[i]);
    ++n;
  }
  return n == 0 ||
         std::sqrt(squares / static_cast<double>(n)) <= usual_rms(std::min(n, independent));
}

}  // namespace ulpfuzz::diagnosis
