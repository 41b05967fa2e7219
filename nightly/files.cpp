#include "files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

/// A second name for the same file takes no space and no wait for the disk: all writers replace
/// files, none changes one. Not everywhere: not on another file system.
bool linked(const fs::path& from, const fs::path& to) {
  const fs::path beside = to.string() + fmt::format(".{}.tmp", getpid());
  std::error_code error;
  fs::create_hard_link(from, beside, error);
  if (error) return false;
  fs::rename(beside, to, error);
  std::error_code ignored;
  fs::remove(beside, ignored);  // it stays where both were the same file already
  return !error;
}

}  // namespace

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw FileError(
        fmt::format("{}: list: {}; make it readable", folder.string(), error.message()));
  // Within one folder the same order as that of paths, whose comparison takes many times as long.
  std::sort(found.begin(), found.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return found;
}

bool is_minimal(const fs::path& file) { return file.filename().string().starts_with("minimal"); }

bool is_original(const fs::path& file) {
  return is_case_file(file) && !is_minimal(file) && !file.filename().string().starts_with("severe");
}

void copy_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::is_regular_file(from, error))
    throw FileError(fmt::format("{}: is no file", from.string()));
  make_folder(to.parent_path());
  if (!linked(from, to)) write_file_atomically(to, read_file(from));
}

void put_file(const fs::path& file, std::string_view bytes) {
  std::error_code error;
  if (fs::file_size(file, error) == bytes.size() && !error && read_file(file) == bytes) return;
  fs::path temporary = file;
  temporary += fmt::format(".{}.tmp", ::getpid());
  errno = 0;
  std::ofstream to(temporary, std::ios::binary);
  to.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  to.close();
  const int why = errno;
  if (to) fs::rename(temporary, file, error);
  if (to && !error) return;
  const std::string reason = to ? error.message() : std::strerror(why != 0 ? why : EIO);
  fs::remove(temporary, error);
  throw FileError(
      fmt::format("{}: write: {}; free space or write elsewhere", file.string(), reason));
}

}  // namespace ulpfuzz::nightly
