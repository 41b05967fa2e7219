#include "slips.hpp"

#include <algorithm>
#include <utility>

namespace ulpfuzz {

void Slips::add(const std::string& bucket, const Case& c, const Verdict& verdict) {
  std::vector<Slip>& kept = buckets_[bucket];
  auto complexity = generators::complexity(c);
  if (kept.size() == kept_each_ && !(complexity < kept.back().complexity)) return;
  Slip slip{{c, verdict}, std::move(complexity)};
  const auto place =
      std::upper_bound(kept.begin(), kept.end(), slip,
                       [](const Slip& a, const Slip& b) { return a.complexity < b.complexity; });
  kept.insert(place, std::move(slip));
  if (kept.size() > kept_each_) kept.pop_back();
}

}  // namespace ulpfuzz
