#pragma once

#include <filesystem>
#include <string_view>

namespace ulpfuzz {

/// Writes a result where a user asked for it. A file is replaced atomically, behind symlinks, which
/// stay; what is there and no regular file (a device, a FIFO) is written to. Throws FileError.
void write_output(const std::filesystem::path& path, std::string_view bytes);

/// Throws FileError, naming the path, if write_output() is bound to fail: for use before the work.
void check_output(const std::filesystem::path& path);

}  // namespace ulpfuzz
