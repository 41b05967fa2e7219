#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ulpfuzz {

/// The bytes of a file. Throws FileError where it cannot be read, is empty, or has more bytes than
/// limits::file_bytes. `remedy` is for what is empty: "name a case file".
std::string read_bytes(const std::filesystem::path& path, std::string_view remedy);

/// Throws FileError for a step that failed with this errno.
[[noreturn]] void refuse_io(const std::filesystem::path& path, std::string_view step, int error,
                            std::string_view remedy);

}  // namespace ulpfuzz
