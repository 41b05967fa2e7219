#include "examine.hpp"

#include "reveal.hpp"

namespace ulpfuzz::probe {
namespace {

void give_up(Examined& e) {
  e.steady = false;
  e.tree = {};
  e.tree.why = other_bits;
  e.arithmetic = {};
}

/// Orders that change from call to call may still have passed for steady.
bool contradictory(Site& site, const Examined& e, std::uint64_t seed) {
  if (site.subject().deterministic()) return false;
  if (!e.tree.revealed && e.tree.why.starts_with(no_tree)) return true;
  return !measure(site, e.tree, seed).same_kind(e.arithmetic);
}

}  // namespace

Examined examine(Site& site, std::uint64_t seed) {
  Examined e;
  if (!repeats_itself(site)) {
    give_up(e);
    return e;
  }
  e.lost = lost_term(site);
  if (e.lost) {
    e.tree.why = "some terms are lost";
    return e;
  }
  e.tree = reveal(site, seed);
  if (e.tree.why != other_bits) e.arithmetic = measure(site, e.tree, seed);
  if (e.tree.why == other_bits || contradictory(site, e, seed)) {
    give_up(e);
    return e;
  }
  e.tree.fusion = e.arithmetic.fusion;
  return e;
}

}  // namespace ulpfuzz::probe
