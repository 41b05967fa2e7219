#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ulpfuzz/runner/shrink_guarded.hpp"
#include "ulpfuzz/shrink/boundary.hpp"
#include "ulpfuzz/shrink/dissect.hpp"

namespace ulpfuzz {

/// What is learnt about a minimal case once it is minimal.
struct Findings {
  std::vector<Boundary> boundaries;
  Dissection dissection;
  std::string unfinished;  ///< why that is not all; empty if it is

  /// "what: text" of the boundaries, joined by "; ".
  std::string boundary_line() const;
};

struct DissectGuard {
  CheckOptions check;
  bool isolate = false;  ///< judge every candidate in a forked child from the start
  double case_timeout = 20;
  std::uint64_t memory_limit = 4096;  ///< mebibytes of each process that evaluates; 0: no limit
  BoundaryOptions boundary;
  DissectOptions dissection;
  std::function<bool()> cancelled;  ///< in place of those of the two
  Confirmation confirmation;        ///< likewise
};

/// boundaries() and dissect() in a forked child that a crash, hang or broken subject cannot take
/// along: then it is tried again with each candidate isolated, and what was learnt is kept. The
/// calling process evaluates nothing.
Findings dissect_guarded(const Shrunk& failing, const std::optional<Neighbour>& neighbour,
                         const Property& property, const Subject& subject,
                         const DissectGuard& options = {});

}  // namespace ulpfuzz
