#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "ulpfuzz/runner/files.hpp"

namespace ulpfuzz::nightly {

/// What is in a folder, sorted; nothing where it is not there or no folder. FileError for one that
/// cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

/// Of the files of a bucket, by their names: what shrinking left, and cases as they were found.
bool is_minimal(const std::filesystem::path& file);
bool is_original(const std::filesystem::path& file);

/// A copy, or the same file under a second name, that is there wholly or not at all. Makes its
/// folder. Neither may be changed in place.
void copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Replaces a file without waiting for the disk: for what is made again if a crash spoils it.
void put_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace ulpfuzz::nightly
