#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz {

/// `broken`: the subject cannot be used any more in this process (Subject::broken).
enum class ShrinkStop : std::uint8_t {
  fixed_point,
  evaluations,
  time,
  stalled,
  cancelled,
  not_failing,
  broken
};
std::string_view name(ShrinkStop stop);

/// A case that fails, and how.
struct Shrunk {
  Case value;
  Verdict verdict;
};

/// The simplest case found whose share lies in [2^octave, 2^(octave + 1)).
struct Rung {
  int octave = 0;
  Shrunk least;
};

/// The simplest passing case that is one edit away.
struct Neighbour {
  std::string edit;  ///< "drop rows 8..8 of 9"
  Case value;
  Verdict verdict;
};

/// How often the edits of one pass were tried and accepted.
struct PassCount {
  std::string_view name;
  std::uint64_t tried = 0;
  std::uint64_t accepted = 0;
};

/// What shrink() found, and what it cost.
struct ShrinkResult {
  Case value;       ///< simplest case found: the given one if nothing simpler fails alike
  Verdict verdict;  ///< of `value`; no failure if it was cancelled before one was seen
  Verdict before;   ///< of the case that was given
  /// Simplest case found that keeps half the share; nothing where `value` does, and for failures
  /// that have no finite share.
  std::optional<Shrunk> severe;
  std::vector<Rung> ladder;  ///< of failures by share: ascending octaves
  std::optional<Neighbour> neighbour;
  std::vector<PassCount> passes;
  std::uint64_t evaluations = 0;
  std::uint64_t recalled = 0;  ///< candidates that `memory` knew
  std::uint64_t accepted = 0;
  std::uint64_t slips = 0;  ///< candidates that failed in another way
  double seconds = 0;
  ShrinkStop stop = ShrinkStop::fixed_point;
};

}  // namespace ulpfuzz
