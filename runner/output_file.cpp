#include "output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

constexpr int most_links = 40;  // as the kernel has it

[[noreturn]] void refuse(const fs::path& path, const char* what, int error) {
  throw FileError(fmt::format("{}: {}: {}; name another file", path.string(), what,
                              std::generic_category().message(error)));
}

bool is_special(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

fs::path behind_links(fs::path path) {
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

}  // namespace

void write_output(const fs::path& path, std::string_view bytes) {
  if (!is_special(path)) return write_file_atomically(behind_links(path), bytes);
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) refuse(path, "cannot be opened", errno);
  const bool written = process::write_all(fd, bytes);
  const int error = errno;
  const bool closed = close(fd) == 0;
  if (!written || !closed) refuse(path, "cannot be written", written ? errno : error);
}

void check_output(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse(path, "cannot be written", EISDIR);
  if (is_special(path)) {
    if (access(path.c_str(), W_OK) != 0) refuse(path, "cannot be written", errno);
    return;
  }
  fs::path folder = behind_links(path).parent_path();
  if (folder.empty()) folder = ".";
  if (!fs::is_directory(folder, ignored)) refuse(path, "its folder is not there", ENOTDIR);
  if (access(folder.c_str(), W_OK) != 0) refuse(path, "its folder is not writable", errno);
}

}  // namespace ulpfuzz
