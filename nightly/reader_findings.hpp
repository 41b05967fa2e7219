#pragma once

#include <filesystem>
#include <vector>

#include "fuzzers.hpp"
#include "program_run.hpp"

namespace ulpfuzz::nightly {

/// libFuzzer's exit codes.
inline constexpr int timeout_code = 70, memory_code = 71, interrupt_code = 72, crash_code = 77;

/// Inputs that ended a target in `home`, as libFuzzer names them.
std::vector<std::filesystem::path> artifacts(const std::filesystem::path& home);

/// A reader that ended by itself: run again with the input that ended it, and a bucket of the night
/// (property "reader"), with input and log in findings/BUCKET. Without an input it is an error.
void look_at_reader(Session& session, const FuzzTarget& target, const ProgramEnding& ending,
                    const std::filesystem::path& home);

}  // namespace ulpfuzz::nightly
