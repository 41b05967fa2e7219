#pragma once

#include "session.hpp"

namespace ulpfuzz::nightly {

/// Beside the case of each bucket: the failure as a program in each language that takes it, and a
/// bug report, issue.md. Those that are there stay.
void write_programs(Session& session);

}  // namespace ulpfuzz::nightly
