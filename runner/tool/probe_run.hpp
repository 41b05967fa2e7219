#pragma once

#include <cstdint>
#include <functional>

#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::tool {

struct ProbeGuard {
  double silence = 60;              ///< seconds
  std::uint64_t memory = 0;         ///< mebibytes that a child may take; 0: no limit
  std::function<bool()> cancelled;  ///< ends it with what was found so far
};

/// probe() in forked children, part by part; the calling process evaluates nothing. A part that
/// crashes, says nothing for `silence` seconds, takes more than `memory`, or after which the
/// subject is broken, is a finding that names what was tried; if that was a batch above 1, the part
/// is tried again, three times in all, and it and later ones with smaller batches.
probe::Report probe_guarded(const Subject& subject, const probe::Options& options,
                            const ProbeGuard& guard);

}  // namespace ulpfuzz::tool
