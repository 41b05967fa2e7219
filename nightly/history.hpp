#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::nightly {

/// A line of history.jsonl.
struct HistoryLine {
  report::EarlierNight night;
  std::vector<std::string> ids;  ///< ids_of()
};

/// The line of a night, appended by one write unless it is there already. The folder is locked by
/// the caller.
void append_history(const std::filesystem::path& corpus, const report::Night& night);

/// read_history() without the night of these ids (ids_of()), and without parts of it.
std::vector<report::EarlierNight> history_before(const std::filesystem::path& corpus,
                                                 const std::vector<std::string>& ids);

}  // namespace ulpfuzz::nightly
