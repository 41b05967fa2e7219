#include "descent.hpp"

#include <exception>
#include <limits>
#include <optional>
#include <utility>

#include "same_failure.hpp"

namespace ulpfuzz::shrinking {

std::optional<Ranked> candidate_of(const generators::Edit& edit,
                                   const std::vector<std::uint64_t>& than) {
  Ranked candidate;
  try {
    candidate.value = edit.apply();
    candidate.complexity = generators::complexity(candidate.value);
    if (!(candidate.complexity < than)) return std::nullopt;
    validate(candidate.value);
  } catch (const std::exception&) {
    return std::nullopt;  // not a case: not a smaller repro either
  }
  return candidate;
}

bool Goal::holds(const Verdict& verdict) const {
  return same_kind(original, verdict) && verdict.share >= share;
}

Descent::Descent(Answers& answers, const Goal& goal, const ShrinkOptions& options, Tally& tally)
    : answers_(answers),
      goal_(goal),
      options_(options),
      tally_(tally),
      last_acceptance_(answers.evaluations()) {
  if (!tally_.passes.empty()) return;
  for (const generators::Pass& pass : generators::passes())
    tally_.passes.push_back({.name = pass.name});
}

bool Descent::stopped() {
  return answers_.spent() ||
         (options_.stall > 0 && answers_.evaluations() - last_acceptance_ >= options_.stall);
}

generators::Focus Descent::focus(const Verdict& verdict) const {
  generators::Focus focus = focus_of(verdict);
  focus.activations = options_.activations;
  return focus;
}

ShrinkStop Descent::run(Ranked& best) {
  do {
    settle(best);
  } while (!stopped() && (second_wind(best) || normal_form(best)));
  return answers_.stop().value_or(stopped() ? ShrinkStop::stalled : ShrinkStop::fixed_point);
}

std::string Descent::first(Ranked& best) {
  for (std::size_t p = 0; p < tally_.passes.size(); ++p) {
    for (const auto& edit : generators::passes()[p].edits(best.value, focus(best.verdict))) {
      if (stopped()) return {};
      if (plain(edit, tally_.passes[p], best)) return edit.name;
    }
  }
  return {};
}

// A pass whose last walk of the same case was fruitless is not walked again.
void Descent::settle(Ranked& best) {
  constexpr auto never = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> fruitless_at(tally_.passes.size(), never);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t pass = 0; pass < fruitless_at.size() && !stopped(); ++pass) {
      if (fruitless_at[pass] == accepted_) continue;
      any = true;
      walk(pass, best, &Descent::plain);
      fruitless_at[pass] = accepted_;
    }
  }
}

// In a circle: after an acceptance the list is made anew and the walk goes on from the same place,
// so that a pass over n elements costs n evaluations, not n^2.
bool Descent::walk(std::size_t pass, Ranked& best, Attempt attempt) {
  const generators::Pass& p = generators::passes()[pass];
  const std::uint64_t before = accepted_;
  auto edits = p.edits(best.value, focus(best.verdict));
  std::size_t place = 0;
  for (std::size_t fruitless = 0; fruitless < edits.size() && !stopped();) {
    if (place >= edits.size()) place = 0;
    if ((this->*attempt)(edits[place], tally_.passes[pass], best)) {
      fruitless = 0;
      edits = p.edits(best.value, focus(best.verdict));
    } else {
      ++place;
      ++fruitless;
    }
  }
  return accepted_ != before;
}

bool Descent::plain(const generators::Edit& edit, PassCount& count, Ranked& best) {
  std::optional<Ranked> candidate = candidate_of(edit, best.complexity);
  if (!candidate) return false;
  if (aside_ && structure_of(candidate->complexity) != structure_of(best.complexity)) return false;
  return take(std::move(*candidate), count, best);
}

bool Descent::take(Ranked candidate, PassCount& count, Ranked& best) {
  if (!fails(candidate, count.tried)) return false;
  best = std::move(candidate);
  ++accepted_;
  if (aside_) return true;
  ++count.accepted;
  report(best);
  return true;
}

/// Judges a candidate, with all that hangs on its answer.
bool Descent::fails(Ranked& candidate, std::uint64_t& tried) {
  const std::string key = content_hash(candidate.value);
  const bool fresh = answers_.known(key) == nullptr;
  const Verdict* verdict = answers_.ask(candidate.value, key);
  if (verdict == nullptr) return false;
  if (fresh) {
    ++tried;
    if (verdict->failed() && !same_kind(goal_.original, *verdict)) {
      ++tally_.slips;
      if (options_.slipped) options_.slipped(candidate.value, *verdict);
    }
  }
  const auto holds = [&](const Verdict& v) { return goal_.holds(v); };
  if (!holds(*verdict)) return false;
  candidate.verdict = *verdict;
  const auto sure = confirmed(answers_, candidate.value, key, options_.confirmation, holds);
  if (!sure.value_or(false)) return false;
  tally_.ladder.add(candidate);
  return true;
}

void Descent::report(const Ranked& best) {
  ++tally_.accepted;
  last_acceptance_ = answers_.evaluations();
  if (options_.accepted) options_.accepted(best.value, best.verdict, answers_.evaluations());
}

}  // namespace ulpfuzz::shrinking
