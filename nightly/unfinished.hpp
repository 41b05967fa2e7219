#pragma once

#include <filesystem>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::nightly {

/// The night that works in `folder`, or did until it was killed or stopped, by its night.json: with
/// what its parts left that are not in there yet. Nothing in `folder` is changed: files of findings
/// that it has not taken up go to `staging`, findings/BUCKET/ there. FileError for a night.json
/// that cannot be read.
report::Night unfinished_night(const std::filesystem::path& folder,
                               const std::filesystem::path& staging);

}  // namespace ulpfuzz::nightly
