#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ulpfuzz::search {

/// A case of a corpus, as distil() sees it.
struct Candidate {
  std::vector<std::uint32_t> features;  ///< of all its trials
  std::uint64_t cost = 0;               ///< bytes, or work: smaller is preferred
};

/// Indices of few candidates that together have all features of all: greedy set cover, the rarest
/// feature first, the cheapest of those that bring most. Ascending; the same whatever the order of
/// equals (ties go to the lower index).
std::vector<std::size_t> distil(std::span<const Candidate> candidates);

}  // namespace ulpfuzz::search
