#include "html_files.hpp"

#include <array>
#include <fstream>
#include <iterator>
#include <system_error>

#include "ulpfuzz/runner/files.hpp"

namespace ulpfuzz::report::page {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_text = 200'000, most_case = 4'000'000;

constexpr std::array<std::array<const char*, 2>, 6> programs{{{"C++", "repro.cpp"},
                                                              {"CUDA", "repro.cu"},
                                                              {"PyTorch", "repro_torch.py"},
                                                              {"JAX", "repro_jax.py"},
                                                              {"NumPy", "repro_numpy.py"},
                                                              {"Bug report", "issue.md"}}};

bool fits(const fs::path& file, std::uintmax_t most) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const std::uintmax_t size = fs::file_size(file, error);
  return !error && size <= most;
}

std::string text_of(const fs::path& file) {
  if (!fits(file, most_text)) return {};
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A summary comes from a file, too: its paths must not lead out of the folder.
bool stays_inside(const fs::path& relative) {
  const fs::path normal = relative.lexically_normal();
  return !normal.empty() && normal.is_relative() && *normal.begin() != "..";
}

std::optional<CaseFile> case_of(const fs::path& file) {
  if (!fits(file, most_case)) return std::nullopt;
  try {
    return read_case(file);
  } catch (const std::exception&) {
    return std::nullopt;  // the page links to it all the same
  }
}

}  // namespace

BucketFiles read_files(const NightBucket& bucket, const fs::path& folder) {
  BucketFiles files;
  const fs::path& file = bucket.bucket.case_file;
  if (!stays_inside(file)) return files;
  files.folder = file.parent_path().lexically_normal();
  files.smallest = case_of(folder / file);
  const fs::path beside = folder / files.folder;
  files.account = text_of(account_of(folder / file));
  for (const auto& [title, name] : programs) {
    std::string text = text_of(beside / name);
    if (!text.empty()) files.programs.push_back({title, name, std::move(text)});
  }
  return files;
}

}  // namespace ulpfuzz::report::page
