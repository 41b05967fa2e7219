#include "worst.hpp"

#include "feedback.hpp"
#include "ulpfuzz/generators/source.hpp"

namespace ulpfuzz::fuzz {

void Worst::offer(std::size_t subject, const Case& c, const Verdict& verdict) {
  const Unseen unseen;  // what it does depends on the inputs before
  pools_[subject].offer(c, verdict);
}

Case Worst::next(std::uint64_t seed, const generators::Limits& limits) {
  generators::SeedSource random(seed, 0);
  return pools_[random.below(pools_.size())].next(random, limits);
}

}  // namespace ulpfuzz::fuzz
