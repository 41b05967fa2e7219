#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/shrink/result.hpp"

namespace ulpfuzz {

/// Answers for a case what its property says: the predicate that a shrinker keeps true. Must not
/// throw.
using Judge = std::function<Verdict(const Case&)>;

/// What a shrinker has learnt, candidate by candidate, so that a killed one goes on where it was.
/// `recall` is asked before a candidate is judged, `record` told afterwards.
class ShrinkMemory {
 public:
  virtual ~ShrinkMemory() = default;
  virtual std::optional<Verdict> recall(const std::string& content_hash) = 0;
  virtual void record(const std::string& content_hash, const Verdict& verdict) = 0;
};

/// A failure counts if it comes back in `wanted` of `tried` evaluations; 1 of 1 for what is
/// deterministic.
struct Confirmation {
  unsigned wanted = 1;
  unsigned tried = 1;
};

struct ShrinkOptions {
  std::uint64_t evaluations = 3000;  ///< most, both results together
  double seconds = 30;
  std::uint64_t stall = 0;  ///< end after so many evaluations without an acceptance; 0: never
  Confirmation confirmation;
  bool severe = true;  ///< look for the severe result too
  /// Values of a node of a case, [batch, shape.size()]: what a prefix is replaced by. recorder()
  /// makes one; without, normal values take their place.
  generators::Activations activations;
  ShrinkMemory* memory = nullptr;
  /// Asked all the time.
  std::function<bool()> cancelled;
  /// Can nothing more be judged in this process (Subject::broken)?
  std::function<bool()> broken;
  /// Called for each accepted candidate, with the number of evaluations so far.
  std::function<void(const Case&, const Verdict&, std::uint64_t)> accepted;
  /// Called for each candidate that fails in another way than the case does: a finding of its own.
  std::function<void(const Case&, const Verdict&)> slipped;
};

/// Is `candidate` the failure that `original` is: the same class; no other cause, where the cause
/// is named on one side and what it may be is said on the other, because a small case shows too
/// little to name one; of bits that differ, the same first op, else an op of the same kind
/// (activations, linear maps) unless one cause explains both; and a share that keeps a margin over
/// the bound where there was one (at least half of it, at most 2), so that a repro is not barely
/// over the bound.
bool same_failure(const Verdict& original, const Verdict& candidate);

/// Goes through generators::passes(), coarse to fine, and takes what fails as the original does and
/// is smaller in generators::complexity(), until a whole round of all passes yields nothing, also
/// where smaller structures get fresh numbers, and then from fresh numbers of the last structure,
/// so that one failure has one repro. Then the same for the severe result, from the simplest case
/// seen that keeps half the share. Deterministic, given the judge's answers. A case that passes
/// comes back with ShrinkStop::not_failing. Throws std::invalid_argument for what validate()
/// refuses.
ShrinkResult shrink(const Case& c, const Judge& judge, const ShrinkOptions& options = {});

/// Whether edits of a case that is thought minimal give a simpler one.
struct Certificate {
  /// fixed_point: all edits of all passes were tried, and none gave a simpler case that fails
  /// alike: the case is 1-minimal in the catalogue of passes.
  ShrinkStop stop = ShrinkStop::fixed_point;
  std::optional<Shrunk> simpler;  ///< what was found instead; `stop` means nothing then
  std::string edit;               ///< that gave it
  std::uint64_t evaluations = 0;

  bool minimal() const { return stop == ShrinkStop::fixed_point && !simpler; }
};

/// One round of all passes on `c`, up to the first edit that shrink() would accept. `kept` is the
/// failure that must stay: ShrinkResult::before of the run whose result `c` is. The verdict of `c`
/// itself will do where that is not known, but may ask for less margin over the bound.
Certificate certify(const Case& c, const Verdict& kept, const Judge& judge,
                    const ShrinkOptions& options = {});

/// Row and output column of the worst element, read from Verdict::worst.where.
generators::Focus focus_of(const Verdict& verdict);

/// Records activations in plain fp32: what nodes of the given case hold.
generators::Activations recorder();

}  // namespace ulpfuzz
