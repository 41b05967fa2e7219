#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "session.hpp"

namespace ulpfuzz::nightly {

/// The libFuzzer targets of a night, as programs. They collect: what fails is written down and
/// they go on.
struct Fuzzers {
  std::vector<std::filesystem::path> targets;
  std::string why_not;  ///< why there are none; empty if there are

  /// Runs them for so many seconds, or so many executions each, `jobs` at a time, in a part of the
  /// night; what they found is run again as given cases. Returns how many cases are new to their
  /// corpus.
  std::uint64_t turn(Session& session, double seconds, std::uint64_t runs);
};
/// Those in NightlyOptions::fuzzers for the chosen properties.
Fuzzers find_fuzzers(const Session& session);

}  // namespace ulpfuzz::nightly
