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

/// A turn of a campaign with given cases.
struct GivenTurn {
  std::uint32_t pair = 0, given = 0;
};

/// What a campaign does with case i, whatever the number of workers.
struct Plan {
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> turns;                ///< one round: indices of pairs
  std::vector<GivenTurn> given;                    ///< in place of `turns`, if there are any
  std::map<std::string, std::string> unavailable;  ///< selected subjects that cannot run: why
  std::vector<const Subject*> subjects;            ///< those that can

  /// Each round begins one place later than the one before, so that every worker, which takes every
  /// jobs-th case, comes to every pair.
  std::size_t pair_index(std::uint64_t i) const {
    if (!given.empty()) return given[i].pair;
    return turns[(i + i / turns.size()) % turns.size()];
  }
  const Pair& pair(std::uint64_t i) const { return pairs[pair_index(i)]; }
};

/// Throws std::invalid_argument for a selection that is empty or names what is not there.
Plan make_plan(const CampaignOptions& options, const Registry& subjects);

/// The case that turn `i` of the campaign tries.
Case planned_case(const CampaignOptions& options, const Plan& plan, std::uint64_t i);
/// What reports call the case of turn `i`: its number in the seed, or among the given cases.
std::uint64_t case_number(const CampaignOptions& options, const Plan& plan, std::uint64_t i);
/// How the case of that number is judged: a given one bitwise also where its notes say so.
CheckOptions check_options(const CampaignOptions& options, std::uint64_t number);
/// Where the cases are from: "seed 7", "2 given cases".
std::string origin_of(const CampaignOptions& options);

}  // namespace ulpfuzz
