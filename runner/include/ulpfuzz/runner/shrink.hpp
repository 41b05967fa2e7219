#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {

struct ShrinkOptions {
  std::uint64_t evaluations = 3000;
  double seconds = 30;
  CheckOptions check;
  /// Judge every candidate in a forked child of the calling process, which then evaluates nothing.
  bool isolate = false;
  double case_timeout = 20;  ///< of one isolated candidate
  /// Asked all the time, also while a candidate runs in a child, which then ends.
  std::function<bool()> cancelled;
  /// Called for each accepted candidate, with the number of evaluations so far.
  std::function<void(const Case&, const Verdict&, std::uint64_t)> accepted;
};

/// `broken`: the subject cannot be used any more in this process (Subject::broken).
enum class ShrinkStop : std::uint8_t {
  fixed_point,
  evaluations,
  time,
  cancelled,
  not_failing,
  broken
};
std::string_view name(ShrinkStop stop);

struct ShrinkResult {
  Case value;       ///< simplest case found: the given one if nothing simpler fails alike
  Verdict verdict;  ///< of `value`; no failure if it was cancelled before one was seen
  Verdict before;   ///< of the case that was given
  std::uint64_t evaluations = 0;
  std::uint64_t accepted = 0;
  double seconds = 0;
  ShrinkStop stop = ShrinkStop::fixed_point;
};

/// Is `candidate` the failure that `original` is: the same class; no other cause, though it may be
/// unexplained on either side, because a small case shows too little to name one; of bits that
/// differ, the same first op; and a share that keeps a margin over the bound where there was one
/// (at least half of it, at most 2), so that a repro is not barely over the bound.
bool same_failure(const Verdict& original, const Verdict& candidate);

/// Greedy: takes the first of generators::simpler() that fails as the original does, goes on from
/// there in the same pass, and ends when a whole pass yields nothing. Every accepted case is
/// smaller in generators::complexity(). A case that passes comes back with ShrinkStop::not_failing.
ShrinkResult shrink(const Case& c, const Property& property, const Subject& subject,
                    const ShrinkOptions& options = {});

/// shrink() in a forked child that a crash, hang or broken subject on the way cannot take along:
/// what was accepted so far is kept, and the rest of the budget is spent with each candidate
/// isolated. The calling process evaluates nothing.
ShrinkResult shrink_guarded(const Case& c, const Property& property, const Subject& subject,
                            const ShrinkOptions& options = {});

}  // namespace ulpfuzz
