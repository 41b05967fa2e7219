#include "ulpfuzz/search/distil.hpp"

#include <algorithm>
#include <unordered_map>

namespace ulpfuzz::search {
namespace {

using Owners = std::vector<std::size_t>;  // indices of candidates, ascending

/// What a candidate would bring: more, then cheaper, then the lower index.
struct Offer {
  std::size_t brings = 0, index = 0;
  std::uint64_t cost = 0;
  bool better_than(const Offer& other) const {
    if (brings != other.brings) return brings > other.brings;
    return cost != other.cost ? cost < other.cost : index < other.index;
  }
};

class Cover {
 public:
  explicit Cover(std::span<const Candidate> candidates) : candidates_(candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
      for (const std::uint32_t f : candidates[i].features) {
        Owners& owners = owners_[f];
        if (owners.empty() || owners.back() != i) owners.push_back(i);
      }
  }

  std::vector<std::size_t> choose() {
    std::vector<std::pair<std::size_t, std::uint32_t>> rarest;
    for (const auto& [feature, owners] : owners_) rarest.emplace_back(owners.size(), feature);
    std::sort(rarest.begin(), rarest.end());
    std::vector<std::size_t> chosen;
    for (const auto& [count, feature] : rarest) {
      if (covered_[feature]) continue;
      const std::size_t i = best_of(owners_[feature]);
      for (const std::uint32_t f : candidates_[i].features) covered_[f] = true;
      chosen.push_back(i);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  std::size_t best_of(const Owners& owners) {
    Offer best;
    for (const std::size_t i : owners) {
      const Offer offer{brings(i), i, candidates_[i].cost};
      if (best.brings == 0 || offer.better_than(best)) best = offer;
    }
    return best.index;
  }

  std::size_t brings(std::size_t i) {
    const auto& all = candidates_[i].features;
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [this](std::uint32_t f) { return !covered_[f]; }));
  }

  std::span<const Candidate> candidates_;
  std::unordered_map<std::uint32_t, Owners> owners_;
  std::unordered_map<std::uint32_t, bool> covered_;
};

}  // namespace

std::vector<std::size_t> distil(std::span<const Candidate> candidates) {
  return Cover(candidates).choose();
}

}  // namespace ulpfuzz::search
