#pragma once

#include <filesystem>
#include <functional>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::tool {

/// What a bug report says beside the failure: the environment of this process, the boundary, where
/// noted or else found by search in a child, and the dissection, found so.
repro::Surroundings surroundings(const CaseFile& file, const std::filesystem::path& path,
                                 const repro::Failure& failure,
                                 const std::function<bool()>& cancelled);

}  // namespace ulpfuzz::tool
