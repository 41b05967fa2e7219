#include <optional>
#include <utility>

#include "descent.hpp"
#include "fresh.hpp"

namespace ulpfuzz::shrinking {
namespace {

constexpr std::uint64_t first_seed = 20240229;

/// `like` with other numbers, not yet judged.
Ranked with_numbers(const Case& like, Fresh fresh, std::uint64_t seed) {
  Ranked candidate;
  candidate.value = with_fresh_numbers(like, fresh, seed);
  candidate.complexity = generators::complexity(candidate.value);
  return candidate;
}

}  // namespace

// Walks end where a smaller structure would need other numbers to fail: those that are left were
// drawn for a larger one.
bool Descent::second_wind(Ranked& best) {
  bool any = false;
  for (std::size_t pass = 0; pass < tally_.passes.size() && !stopped(); ++pass)
    any |= walk(pass, best, &Descent::with_fresh);
  return any;
}

bool Descent::with_fresh(const generators::Edit& edit, PassCount& count, Ranked& best) {
  const std::optional<Ranked> smaller = candidate_of(edit, best.complexity);
  if (!smaller || structure_of(smaller->complexity) == structure_of(best.complexity)) return false;
  for (const Fresh fresh : {Fresh::integers, Fresh::all_bits, Fresh::shuffled}) {
    if (stopped()) return false;
    if (take(with_numbers(smaller->value, fresh, first_seed), count, best)) return true;
  }
  return false;
}

// From the same numbers, whatever is left of those of the start, walks over one structure end at
// the same result: one failure, one repro.
bool Descent::normal_form(Ranked& best) {
  constexpr std::uint64_t many = 20, few = 2;
  if (!normalised_.insert(structure_of(best.complexity)).second) return false;
  const Case model = best.value;
  bool any = branch(model, {Fresh::witnesses}, many, best);
  any |= branch(model, {Fresh::integers, Fresh::few_bits, Fresh::all_bits}, few, best);
  return any;
}

/// Walks on from the simplest numbers that fail. Is the end simpler than the best so far?
bool Descent::branch(const Case& model, std::initializer_list<Fresh> kinds, std::uint64_t seeds,
                     Ranked& best) {
  std::optional<Ranked> start;
  std::uint64_t tried = 0;
  for (const Fresh fresh : kinds) {
    for (std::uint64_t i = 0; i < seeds && !stopped(); ++i) {
      Ranked candidate = with_numbers(model, fresh, first_seed + i);
      if (start && !(candidate.complexity < start->complexity)) continue;
      if (fails(candidate, tried)) start = std::move(candidate);
    }
  }
  if (!start) return false;
  aside_ = true;
  settle(*start);
  aside_ = false;
  if (!(start->complexity < best.complexity)) return false;
  best = std::move(*start);
  report(best);
  return true;
}

}  // namespace ulpfuzz::shrinking
