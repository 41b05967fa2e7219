#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ulpfuzz::nightly {

/// What is in a folder, sorted; nothing where it is no folder or cannot be read.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

bool is_case_file(const std::filesystem::path& path);  ///< by its name: *.case, *.case.json

/// The readable account beside a case file: X.txt of X.case.json.
std::filesystem::path account_of(const std::filesystem::path& case_file);

/// FileError that names the folder.
void make_folder(const std::filesystem::path& folder);

/// FileError that names the file, also for one that is no regular file.
std::string read_file(const std::filesystem::path& file);

/// A copy, or the same file under a second name, that is there wholly or not at all. Makes its
/// folder. Neither may be changed in place.
void copy_file(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ulpfuzz::nightly
