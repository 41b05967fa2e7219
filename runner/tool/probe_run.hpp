#pragma once

#include <functional>
#include <string>

#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::tool {

/// probe() in forked children, part by part; the calling process evaluates nothing. A part that
/// crashes, says nothing for `silence` seconds, or after which the subject is broken, is a finding
/// that names what was tried; if that was a batch above 1, the part is tried again, three times in
/// all, and it and later ones with smaller batches. `cancelled` ends it with what was found so far.
probe::Report probe_guarded(const Subject& subject, const probe::Options& options, double silence,
                            const std::function<bool()>& cancelled);

}  // namespace ulpfuzz::tool
