#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::fuzz {

/// BUCKET/HASH.case.json under a folder, the smallest few of each bucket. Processes may share it.
class Findings {
 public:
  explicit Findings(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The file, if the case is among the smallest of its bucket; `size` is what counts. Throws
  /// FileError.
  std::optional<std::filesystem::path> keep(const std::string& bucket, const CaseFile& file,
                                            std::size_t size);

 private:
  static constexpr std::size_t most = 5;
  std::filesystem::path folder_;
  /// Sizes of a bucket as this process last knew them: most failures end here.
  std::map<std::string, std::vector<std::size_t>> known_;
};

}  // namespace ulpfuzz::fuzz
