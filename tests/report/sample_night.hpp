#pragma once

#include <filesystem>

#include "ulpfuzz/report/reports.hpp"

/// Nights as a page must show them. Each writes the findings that it names below `folder`.
namespace ulpfuzz::samples {

/// Eight hours on a dozen subjects: a bucket in each state, sixty nights before it.
report::Night usual_night(const std::filesystem::path& folder);
/// The first ever, with nothing found and hardly anything done.
report::Night quiet_night();
/// Nothing but its id.
report::Night empty_night();
/// 500 buckets.
report::Night crowded_night(const std::filesystem::path& folder);
/// Killed by a signal in its second phase, with an infrastructure error.
report::Night cut_night();
/// Still at work.
report::Night running_night();
/// Names, reasons and programs that try to be markup.
report::Night hostile_night(const std::filesystem::path& folder);

}  // namespace ulpfuzz::samples
