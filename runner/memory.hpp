#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ulpfuzz::process {

/// In a process that is to evaluate: from now on it may take `mebibytes` more; 0: no limit. An
/// allocation beyond fails (RLIMIT_DATA), so that also one that is huge and never touched is met,
/// at the same place each time. Not under sanitizers, whose allocators end the process then, nor
/// where a GPU's driver is loaded, of which nobody knows what it maps: there whoever started the
/// process looks at own_memory(). RLIMIT_AS is of no use: sanitizers and CUDA reserve terabytes
/// of addresses.
void limit_memory(std::uint64_t mebibytes);

/// After an allocation failed: some more, for telling so.
void ease_memory_limit();

/// Mebibytes of a process (0: this one) that are in memory and shared with no file and nobody; 0
/// if it is not there.
std::uint64_t own_memory(pid_t process = 0);

/// Above this whoever started the process ends it. More than limit_memory() grants, which is the
/// better place to stop at.
inline std::uint64_t most_own_memory(std::uint64_t mebibytes) {
  return mebibytes + mebibytes / 8 + 64;
}

}  // namespace ulpfuzz::process
