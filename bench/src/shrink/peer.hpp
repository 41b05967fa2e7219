#pragma once

#include "shrink/trial.hpp"

namespace ulpfuzz::bench {

struct PeerLimits {
  std::uint64_t evaluations = 20'000;
  double seconds = 10;
};

/// The same start shrunk as RapidCheck does for a generator of lists of layers, widths, batch
/// sizes, splits and numbers: its own shrinks of each, in that order; the first child that fails in
/// whatever way is taken. What cannot be fitted together is discarded, and not counted.
Trial run_peer(const Planted& planted, const Subject& subject, const Start& start,
               const std::vector<std::uint64_t>& optimum, const PeerLimits& limits);

}  // namespace ulpfuzz::bench
