#pragma once

#include <filesystem>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::nightly {

/// The line of a night, appended by one write unless it is there already. The folder is locked by
/// the caller.
void append_history(const std::filesystem::path& corpus, const report::Night& night);

}  // namespace ulpfuzz::nightly
