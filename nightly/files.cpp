#include "files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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

}  // namespace ulpfuzz::nightly
