#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz::shrinking {

/// A failing case, and where it stands in the order of complexity().
struct Ranked {
  Case value;
  Verdict verdict;
  std::vector<std::uint64_t> complexity;
};

/// The components of a complexity() that do not depend on numbers: those before.
std::vector<std::uint64_t> structure_of(std::vector<std::uint64_t> complexity);

/// The least failure seen of each octave of share.
class Ladder {
 public:
  /// Shares that are not finite and positive have no octave.
  void add(const Ranked& failure);
  /// The least whose share is at least `share`.
  const Ranked* least_from(double share) const;
  std::vector<Rung> rungs() const;

 private:
  std::map<int, Ranked> by_octave_;
};

}  // namespace ulpfuzz::shrinking
