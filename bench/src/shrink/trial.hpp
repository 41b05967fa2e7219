#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shrink/planted.hpp"

namespace ulpfuzz::bench {

/// A failing case to shrink, and how it fails.
struct Start {
  std::uint64_t index = 0;  ///< of generators::case_from_seed
  Shrunk failing;
};

/// The first `count` cases that fail on `subject` with the fault's class. Fewer if none comes for
/// long.
std::vector<Start> find_starts(const Planted& planted, const Subject& subject, std::uint64_t seed,
                               std::size_t count);

/// What came of one start.
struct Trial {
  std::uint64_t evaluations = 0;
  double seconds = 0;
  std::vector<std::uint64_t> complexity;  ///< of the result
  std::uint64_t gap = 0;  ///< sum of what structural components are above the optimum
  bool below = false;     ///< simpler than the optimum, which then was none
  std::string hash;       ///< of the result
  std::string text;       ///< of the result, one line
  std::string cause;      ///< that the verdict on the result names
  bool slipped = false;   ///< another failure than the start's, or also one of the honest subject
  double reproduced = 0;  ///< part of 20 replays in fresh memory that fail alike
  double start_share = 0;
  double share = 0;
  double severe_share = 0;      ///< of the severe result; the share where that is none
  std::size_t bytes = 0;        ///< of the case file, as text
  std::uint64_t harvested = 0;  ///< candidates on the way that failed otherwise, and were refused
  bool capped = false;
};

/// Shrinks with ulpfuzz::shrink.
Trial run_trial(const Planted& planted, const Subject& subject, const Start& start,
                const std::vector<std::uint64_t>& optimum);

/// Judges the result of a shrinker.
void assess(const Planted& planted, const Subject& subject, const Start& start, const Case& result,
            const std::vector<std::uint64_t>& optimum, Trial& trial);

}  // namespace ulpfuzz::bench
