#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ulpfuzz::fuzz {

/// What the environment asks of a target (docs/fuzzing.md).
struct Settings {
  bool collect = false;               ///< ULPFUZZ_ON_FAILURE: abort (default) or collect
  std::filesystem::path findings;     ///< ULPFUZZ_FINDINGS; the working folder by default
  std::vector<std::string> subjects;  ///< ULPFUZZ_SUBJECTS, globs; none: all honest ones
  bool feedback = true;               ///< ULPFUZZ_FEEDBACK: share (default) or none
  std::filesystem::path statistics;   ///< ULPFUZZ_STATISTICS; empty: not written
};

/// Throws std::invalid_argument that names the variable and what would fit.
Settings settings_from_environment();

}  // namespace ulpfuzz::fuzz
