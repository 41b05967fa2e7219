#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "session.hpp"
#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz::nightly {

/// A case, by the property and the subject that it is kept for.
struct Trial {
  const CaseFile* file = nullptr;
  const Property* property = nullptr;
  const Subject* subject = nullptr;
};

struct TrialOptions {
  unsigned jobs = 1;
  double case_timeout = 20;
  std::uint64_t memory_limit = 4096;  ///< megabytes that a child may take for data
  std::function<bool()> cancelled;    ///< asked all the time
};

/// A case by its notes, which the night tries (TriedCases); `given` must outlive it.
Trial trial_of(const Session& session, const GivenCase& given);
TrialOptions trial_options(const Session& session, std::function<bool()> cancelled);

/// What a trial showed.
struct Shown {
  bool failed = false;
  std::vector<std::uint32_t> features;  ///< search::features()
};

/// Each trial judged in forked children, of which each does many; what ends a child costs that
/// trial alone. `shown` is told of each as it comes, by its index; of a trial that ended its
/// process, hung, or was not reached it is told nothing.
void judge_all(std::span<const Trial> trials, const TrialOptions& options,
               const std::function<void(std::size_t, Shown&&)>& shown);

}  // namespace ulpfuzz::nightly
