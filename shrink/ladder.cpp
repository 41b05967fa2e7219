#include "ladder.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ulpfuzz::shrinking {

std::vector<std::uint64_t> structure_of(std::vector<std::uint64_t> complexity) {
  const auto names = generators::complexity_names();
  const auto numbers = std::ranges::find_if(
      names, [](std::string_view name) { return name.starts_with("numbers"); });
  complexity.resize(static_cast<std::size_t>(numbers - names.begin()));
  return complexity;
}

void Ladder::add(const Ranked& failure) {
  const double share = failure.verdict.share;
  if (!std::isfinite(share) || share <= 0) return;
  const auto [at, added] = by_octave_.try_emplace(std::ilogb(share), failure);
  if (!added && failure.complexity < at->second.complexity) at->second = failure;
}

const Ranked* Ladder::least_from(double share) const {
  const Ranked* least = nullptr;
  for (const auto& [octave, failure] : by_octave_) {
    if (failure.verdict.share < share) continue;
    if (least == nullptr || failure.complexity < least->complexity) least = &failure;
  }
  return least;
}

std::vector<Rung> Ladder::rungs() const {
  std::vector<Rung> rungs;
  for (const auto& [octave, failure] : by_octave_)
    rungs.push_back({octave, {failure.value, failure.verdict}});
  return rungs;
}

}  // namespace ulpfuzz::shrinking
