#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ulpfuzz::nightly {

using Unreadable = std::map<std::string, std::string>;  ///< file -> why

/// As unite_files(), for the folder of one bucket. `folders`: those that hold it, or may.
void unite_bucket(const std::vector<std::filesystem::path>& folders,
                  const std::filesystem::path& out, Unreadable& unreadable);

}  // namespace ulpfuzz::nightly
