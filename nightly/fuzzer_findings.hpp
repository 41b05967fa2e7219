#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "fuzzers.hpp"
#include "program_run.hpp"

namespace ulpfuzz::nightly {

/// What a target needs whatever it does: limits, and where inputs go that end it.
std::vector<std::string> usual_command(const Session& session, const FuzzTarget& target,
                                       const std::filesystem::path& home);
/// Variables of a target that collects in `home`.
std::map<std::string, std::string> surroundings_of(const Session& session,
                                                   const std::filesystem::path& home);
/// Inputs that a target ran in `home`, up to the last second.
std::uint64_t executions_of(const std::filesystem::path& home);

/// Was it told to end, be it by this night or with it?
bool was_told(const ProgramEnding& ending);

/// What a target ended by that was not told to end: of a property, workers run the input again, and
/// an error of the night is what none of them sees; of a reader, it is a bucket, because the reader
/// is ours. Inputs and log stay in findings/BUCKET.
void look_at_ending(Session& session, const FuzzTarget& target, const ProgramEnding& ending,
                    const std::filesystem::path& home);
/// The same for what a killed night did not come to; also takes up inputs that it had kept.
void look_at_left(Session& session, const Fuzzers& fuzzers);

/// Runs what targets in a part wrote down again as given cases, for about so many seconds (0: all
/// it takes), and closes the part. What nobody came to counts as it is; what never fails again is
/// flaky.
void confirm(Session& session, const std::filesystem::path& part, double seconds);

}  // namespace ulpfuzz::nightly
