#include "files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
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
  std::sort(found.begin(), found.end());
  return found;
}

bool is_case_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".case") || name.ends_with(".case.json");
}

fs::path account_of(const fs::path& case_file) {
  std::string name = case_file.filename().string();
  for (const std::string_view end : {".case.json", ".case"})
    if (name.ends_with(end)) {
      name.resize(name.size() - end.size());
      break;
    }
  return case_file.parent_path() / (name + ".txt");
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("{}: cannot be created: {}", folder.string(), error.message()));
}

std::string read_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    throw FileError(fmt::format("{}: is no file", file.string()));
  std::ifstream in(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof()) throw FileError(fmt::format("{}: cannot be read", file.string()));
  return bytes;
}

void copy_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  if (!fs::is_regular_file(from, error))
    throw FileError(fmt::format("{}: is no file", from.string()));
  make_folder(to.parent_path());
  if (!linked(from, to)) write_file_atomically(to, read_file(from));
}

}  // namespace ulpfuzz::nightly
