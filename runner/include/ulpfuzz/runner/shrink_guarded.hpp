#pragma once

#include <string_view>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {

struct GuardOptions : ShrinkOptions {
  CheckOptions check;
  /// Judge every candidate in a forked child of the calling process from the start.
  bool isolate = false;
  double case_timeout = 20;           ///< of one isolated candidate
  std::uint64_t memory_limit = 4096;  ///< mebibytes of each process that evaluates; 0: no limit
};

/// Do cases that show it take the process along (a crash, a hang, all memory)?
bool ends_processes(FailureClass failure);

/// 1 of 1; for a subject that does not repeat, or a failure of that class, 3 of 5.
Confirmation usual_confirmation(const Subject& subject, std::string_view failure_class);

/// shrink() in a forked child that a crash, hang or broken subject on the way cannot take along:
/// what was accepted so far is kept, and the rest of the budget, if any, is spent with each
/// candidate isolated. The calling process evaluates nothing. Callbacks and memory are called in
/// it, in the order of the candidates.
ShrinkResult shrink_guarded(const Case& c, const Property& property, const Subject& subject,
                            const GuardOptions& options = {});

}  // namespace ulpfuzz
