#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "site.hpp"

namespace ulpfuzz::probe {

/// Values for a masked sum: `unit` vanishes beside `big` in every accumulator on the way, and up to
/// `cap` units are counted exactly.
struct Masks {
  Term big;
  Term unit;
  std::size_t cap = 0;
};

/// The first of some choices that the site's operands, accumulators and stores can hold; nothing if
/// none does, and `why` then says what came back of the last one that got furthest.
std::optional<Masks> choose_masks(Site& site, std::string& why);

/// Counts the terms of the smallest subtree that holds both `i` and `j`, including them: with big
/// at i, -big at j and units elsewhere, those units survive that join the sum after i and j have
/// met (FPRev, arXiv 2411.00442). Nothing where the count makes no sense; `why` then says it.
std::optional<std::size_t> meeting_size(Site& site, const Masks& masks, std::size_t i,
                                        std::size_t j, std::string& why);

}  // namespace ulpfuzz::probe
