#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

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

/// What a trial showed.
struct Shown {
  bool failed = false;
  std::vector<std::uint32_t> features;  ///< search::features()
};

/// Each trial judged in forked children, of which each does many; what ends a child costs that
/// trial alone. Nothing for a trial that ended its process, hung, or was not reached.
std::vector<std::optional<Shown>> judge_all(std::span<const Trial> trials,
                                            const TrialOptions& options);

}  // namespace ulpfuzz::nightly
