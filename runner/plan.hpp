#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {

/// One property on one subject, with the cases that suit them.
struct Pair {
  const Property* property = nullptr;
  const Subject* subject = nullptr;
  generators::Limits limits;
  bool rare = false;
};

/// What a campaign does with case i, whatever the number of workers.
struct Plan {
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> turns;                ///< one round: indices of pairs
  std::map<std::string, std::string> unavailable;  ///< selected subjects that cannot run: why
  std::vector<const Subject*> subjects;            ///< those that can

  /// Each round begins one place later than the one before, so that every worker, which takes every
  /// jobs-th case, comes to every pair.
  std::size_t pair_index(std::uint64_t i) const {
    return turns[(i + i / turns.size()) % turns.size()];
  }
  const Pair& pair(std::uint64_t i) const { return pairs[pair_index(i)]; }
};

/// Throws std::invalid_argument for a selection that is empty or names what is not there.
Plan make_plan(const CampaignOptions& options, const Registry& subjects);

/// The case that turn `i` of the campaign tries.
Case planned_case(const CampaignOptions& options, const Pair& pair, std::uint64_t i);

}  // namespace ulpfuzz
