#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {

/// Nights as they were run, none of them merged from others.
using Nights = std::map<std::string, report::Night>;  ///< by id

/// What some folders hold.
struct MergeInput {
  Nights nights;
  std::map<std::string, std::string> left_out;  ///< file or folder -> why it cannot be read
  std::vector<std::filesystem::path> folders;   ///< whose files are united
};

/// FileError for a folder that holds no night; std::invalid_argument for an `out` that is one.
void check_folders(const std::vector<std::filesystem::path>& folders,
                   const std::filesystem::path& out);

/// Reads nights and merged folders, and `out`, if that is a merged one. What of a night that is not
/// over is in no summary yet is added up, with files copied to `staging`. FileError if no night can
/// be read.
MergeInput read_nights(const std::vector<std::filesystem::path>& folders,
                       const std::filesystem::path& out, const std::filesystem::path& staging);

/// Leaves in out/shards what read_nights() needs of them.
void write_nights(const MergeInput& input, const std::filesystem::path& out);

}  // namespace ulpfuzz::nightly
