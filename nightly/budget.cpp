#include "budget.hpp"

#include <algorithm>

namespace ulpfuzz::nightly {
namespace {

constexpr double seconds_a_bucket = 40;  // of one worker, to shrink it and look at it closely
constexpr double bucket_weight = 200;    // cases worth keeping that a new bucket counts for
constexpr double least_share = 0.15;

}  // namespace

double shrink_reserve(double night, std::size_t buckets, unsigned jobs) {
  const double most = part_of_shrink * night;
  const double need = static_cast<double>(buckets) * seconds_a_bucket / jobs;
  return std::clamp(need, most / 5, most);
}

void note_yield(Yield& yield, std::uint64_t buckets, std::uint64_t kept, double seconds) {
  if (!(seconds > 0)) return;
  const double now =
      (bucket_weight * static_cast<double>(buckets) + static_cast<double>(kept)) / seconds;
  yield.per_second = yield.known ? (yield.per_second + now) / 2 : now;
  yield.known = true;
}

std::vector<double> shares(std::span<const Yield> ways) {
  const double n = static_cast<double>(ways.size());
  double all = 0;
  bool known = true;
  for (const Yield& y : ways) {
    all += y.per_second;
    known = known && y.known;
  }
  std::vector<double> parts(ways.size(), 1 / n);
  if (!known || !(all > 0)) return parts;
  for (std::size_t i = 0; i < ways.size(); ++i)
    parts[i] = least_share + (1 - n * least_share) * ways[i].per_second / all;
  return parts;
}

double round_length(double left) { return std::min(left, std::clamp(left / 4, 15.0, 600.0)); }

}  // namespace ulpfuzz::nightly
