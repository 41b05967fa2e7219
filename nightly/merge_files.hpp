#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "merge_bucket_files.hpp"

namespace ulpfuzz::nightly {

/// Originals that are kept of a bucket, the simplest: all, but of a fault that never ends. A night
/// keeps three a worker and turn.
inline constexpr std::size_t originals_kept = 1000;

/// Unites findings/, findings-flaky/, corpus/, distilled/ and fuzzing-kept/ of `folders` in `out`,
/// which may be one of them. What it leaves depends on the set of their files alone. Of a bucket
/// that is: its simplest minimal case with all that is beside it (account, severe case, programs,
/// report), and the simplest originals with their accounts. FileError for what cannot be written;
/// what cannot be read is left out, and named in `unreadable`.
void unite_files(const std::vector<std::filesystem::path>& folders,
                 const std::filesystem::path& out, Unreadable& unreadable);

}  // namespace ulpfuzz::nightly
