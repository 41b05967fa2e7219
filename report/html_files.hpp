#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report::page {

struct Program {
  std::string title;  ///< "PyTorch"
  std::string file;   ///< "repro_torch.py"
  std::string text;
};

/// What lies beside a bucket's case, as far as it is there, can be read and is not too large.
struct BucketFiles {
  std::filesystem::path folder;  ///< relative to the night's; empty if it would lie outside
  std::optional<CaseFile> smallest;
  std::string account;  ///< minimal.txt
  std::vector<Program> programs;
};

/// Never throws: a page shows what there is.
BucketFiles read_files(const NightBucket& bucket, const std::filesystem::path& folder);

}  // namespace ulpfuzz::report::page
