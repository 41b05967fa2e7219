#include <algorithm>

#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {

using report::BucketState;

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
