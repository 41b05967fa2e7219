#pragma once

#include <filesystem>
#include <string>

#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::samples {

Case linear_case();    ///< linear(1 -> 1), batch 2, one slice
Case gated_case();     ///< two ways that meet again, with padding in a slice
Case residual_case();  ///< seven ops with an arrow past four of them
Case long_case();      ///< 30 ops

/// Writes minimal.case.json, minimal.txt and, if wanted, programs into folder/findings/ID; the
/// bucket is then about them.
void write_finding(const std::filesystem::path& folder, report::NightBucket& bucket, const Case& c,
                   const std::string& account, bool programs);

}  // namespace ulpfuzz::samples
