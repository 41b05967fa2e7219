#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "answers.hpp"
#include "fresh.hpp"
#include "ladder.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz::shrinking {

/// What a reduction keeps true: the kind of the original failure, and so much of a share.
struct Goal {
  const Verdict& original;
  double share;
  bool holds(const Verdict& verdict) const;
};

/// What reductions of one case count together.
struct Tally {
  std::vector<PassCount> passes;
  std::uint64_t accepted = 0;
  std::uint64_t slips = 0;
  Ladder ladder;
};

/// The case that an edit makes and its place in the order, if it is simpler than `than`.
std::optional<Ranked> candidate_of(const generators::Edit& edit,
                                   const std::vector<std::uint64_t>& than);

/// One reduction: a case walks down the order of complexity() as long as edits keep the goal.
class Descent {
 public:
  Descent(Answers& answers, const Goal& goal, const ShrinkOptions& options, Tally& tally);

  /// Until a round of all passes yields nothing, nor do fresh numbers; or the answers stop.
  ShrinkStop run(Ranked& best);
  /// One round of all passes, up to the first edit that is accepted: its name, or "".
  std::string first(Ranked& best);

 private:
  /// Tries one edit of `best`: was it accepted?
  using Attempt = bool (Descent::*)(const generators::Edit&, PassCount&, Ranked& best);

  void settle(Ranked& best);
  bool second_wind(Ranked& best);
  bool normal_form(Ranked& best);
  bool branch(const Case& model, std::initializer_list<Fresh> kinds, std::uint64_t seeds,
              Ranked& best);
  bool walk(std::size_t pass, Ranked& best, Attempt attempt);
  bool plain(const generators::Edit& edit, PassCount& count, Ranked& best);
  bool with_fresh(const generators::Edit& edit, PassCount& count, Ranked& best);
  bool take(Ranked candidate, PassCount& count, Ranked& best);
  bool fails(Ranked& candidate, std::uint64_t& tried);
  void report(const Ranked& best);
  generators::Focus focus(const Verdict& verdict) const;
  bool stopped();

  Answers& answers_;
  const Goal& goal_;
  const ShrinkOptions& options_;
  Tally& tally_;
  bool aside_ = false;  ///< on a branch: what is accepted is no result yet
  std::uint64_t accepted_ = 0;
  std::uint64_t last_acceptance_;
  std::set<std::vector<std::uint64_t>> normalised_;  ///< structures
};

}  // namespace ulpfuzz::shrinking
