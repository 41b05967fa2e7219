#include "verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpfuzz::nightly {

using report::BucketState;

std::string too_little(const report::Night& night) {
  if (night.cases == 0) return "no case was executed";
  // Regressions alone, say, where the self-check took all the time.
  if (night.pairs.empty()) return "neither random cases nor search had their turn";
  // A rare pair may have had too few turns to judge anything.
  constexpr std::uint64_t turns_of_a_rare_pair = 16;
  for (const PairCounts& p : night.pairs) {
    if (p.pass + p.fail > 0 || (p.rare && p.cases < turns_of_a_rare_pair)) continue;
    return fmt::format("{} never judged a case of {} ({} tried)", p.property, p.subject, p.cases);
  }
  return {};
}

int exit_code(const report::Night& night) {
  const auto any = [&](BucketState state) {
    return std::any_of(night.buckets.begin(), night.buckets.end(),
                       [state](const report::NightBucket& b) { return b.state == state; });
  };
  if (!night.errors.empty()) return 4;
  if (any(BucketState::returned)) return 3;
  if (any(BucketState::fresh) || any(BucketState::open)) return 1;
  if (any(BucketState::flaky)) return 6;
  return too_little(night).empty() ? 0 : 5;
}

}  // namespace ulpfuzz::nightly
