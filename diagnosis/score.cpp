#include <algorithm>
#include <cmath>

#include "search.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::diagnosis {

bool same_value(float a, float b) { return same_bits(a, b) || (std::isnan(a) && std::isnan(b)); }

bool same_values(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_value);
}

bool same_difference(double a, double b) {
  return a == b || static_cast<float>(a) == static_cast<float>(b) ||
         (std::isnan(a) && std::isnan(b));
}

double score(std::span<const double> observed, std::span<const double> predicted,
             std::span<const double> scale) {
  double sum = 0, product = 1;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double r = (observed[i] - predicted[i]) / scale[i];
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

void measure(const Evidence& evidence, const Baseline& baseline, std::span<const float> a,
             std::span<const float> b, Match& match) {
  const bool both = !evidence.a.empty();
  const std::vector<double> observed = differences(evidence);
  double residual = 0, sigmas = 0, ab = 0, aa = 0, bb = 0;
  std::size_t counted = 0, judged = 0;
  match.exact = 0;
  for (std::size_t i = 0; i < observed.size(); ++i) {
    const double predicted = a[i] == b[i] ? 0 : double{a[i]} - double{b[i]};
    match.exact += both ? same_value(a[i], evidence.a[i]) && same_value(b[i], evidence.b[i])
                        : same_difference(predicted, observed[i]);
    const double r = observed[i] - predicted;
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
}

}  // namespace ulpfuzz::diagnosis
