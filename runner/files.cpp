#include "ulpfuzz/runner/files.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 2> case_ends{".case.json", ".case"};

}  // namespace

std::optional<std::string> file_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (!error && !fs::is_regular_file(status))
    throw FileError(fmt::format("{}: read: is no regular file; name one", file.string()));
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw FileError(fmt::format("{}: read: {}; make it readable", file.string(),
                                errno != 0 ? std::strerror(errno) : "cannot be read"));
  return text;
}

std::string read_file(const fs::path& file) {
  auto text = file_text(file);
  if (!text) throw FileError(fmt::format("{}: read: is not there; name a file", file.string()));
  return std::move(*text);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw FileError(fmt::format("{}: cannot be created: {}; name another folder", folder.string(),
                                error.message()));
}

bool is_case_file(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view end : case_ends)
    if (name.ends_with(end)) return true;
  return false;
}

fs::path with_end(const fs::path& case_file, const std::string& end) {
  std::string name = case_file.filename().string();
  for (const std::string_view own : case_ends)
    if (name.ends_with(own)) {
      name.resize(name.size() - own.size());
      break;
    }
  return case_file.parent_path() / (name + end);
}

fs::path account_of(const fs::path& case_file) { return with_end(case_file, ".txt"); }

}  // namespace ulpfuzz
