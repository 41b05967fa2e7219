#pragma once

#include "session.hpp"

namespace ulpfuzz::nightly {

/// The list of known buckets that a night goes by.
std::filesystem::path known_file(const NightlyOptions& options);

/// Tells new from old, leaves in the corpus what the next night needs, writes all reports, and
/// settles the exit code. What cannot be written is an error of the night; the rest is written.
void finish(Session& session);

}  // namespace ulpfuzz::nightly
