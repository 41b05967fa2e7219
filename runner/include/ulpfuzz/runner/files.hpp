#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ulpfuzz {

/// All of a file; nothing where there is none. FileError for what cannot be read, or is no regular
/// file.
std::optional<std::string> file_text(const std::filesystem::path& file);
/// The same; FileError also where there is none.
std::string read_file(const std::filesystem::path& file);

/// With those above it. FileError where that cannot be.
void make_folder(const std::filesystem::path& folder);

bool is_case_file(const std::filesystem::path& path);  ///< by its name: *.case, *.case.json
/// X.case.json or X.case with another end.
std::filesystem::path with_end(const std::filesystem::path& case_file, const std::string& end);
/// The readable account beside a case file: X.txt.
std::filesystem::path account_of(const std::filesystem::path& case_file);

}  // namespace ulpfuzz
