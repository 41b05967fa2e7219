#include "findings.hpp"

#include <algorithm>
#include <system_error>

namespace ulpfuzz::fuzz {
namespace {
namespace fs = std::filesystem;

struct Kept {
  std::size_t size = 0;
  fs::path file;
};

// By size of the files: text grows with the case as bytes do. Another process may take files away.
std::vector<Kept> kept_in(const fs::path& folder) {
  std::vector<Kept> result;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".case.json") || name.starts_with('.')) continue;
    const std::size_t size = entry.file_size(ignored);
    if (!ignored) result.push_back({size, entry.path()});
  }
  std::ranges::sort(result, {}, &Kept::size);
  return result;
}

}  // namespace

std::optional<fs::path> Findings::keep(const std::string& bucket, const CaseFile& file,
                                       std::size_t size) {
  auto& known = known_[bucket];
  if (known.size() >= most && size >= known.back()) return std::nullopt;
  const fs::path folder = folder_ / bucket;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw FileError(folder.string() + ": create: " + error.message() + "; make room");
  const fs::path path = folder / (content_hash(file.value) + ".case.json");
  write_case(path, file);
  known.push_back(size);
  std::ranges::sort(known);
  if (known.size() > most) known.pop_back();
  const auto files = kept_in(folder);
  for (std::size_t i = most; i < files.size(); ++i) fs::remove(files[i].file, error);
  return path;
}

}  // namespace ulpfuzz::fuzz
