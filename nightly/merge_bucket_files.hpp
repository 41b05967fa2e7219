#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ulpfuzz::nightly {

using Unreadable = std::map<std::string, std::string>;  ///< file or folder -> why

/// What is in a folder, sorted; one that cannot be read is named.
std::vector<std::filesystem::path> readable_entries(const std::filesystem::path& folder,
                                                    Unreadable& unreadable);

/// As unite_files(), for the folder of one bucket. `folders`: those that hold it, or may.
void unite_bucket(const std::vector<std::filesystem::path>& folders,
                  const std::filesystem::path& out, Unreadable& unreadable);

}  // namespace ulpfuzz::nightly
