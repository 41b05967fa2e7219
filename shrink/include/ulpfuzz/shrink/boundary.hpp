#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {

/// Where failing turns into passing as one size, value or address of a failing case varies and all
/// else stays.
struct Boundary {
  std::string what;  ///< "batch", "inner dimension of linear 2", "input 0[0][1]", "batch alignment"
  std::string text;  ///< "fails from batch 40 on (tried up to 640), passes at 39"
  std::string fails, passes;  ///< the two sides next to each other: "40", "39"
};

struct BoundaryOptions {
  std::uint64_t evaluations = 400;
  double seconds = 10;
  std::function<bool()> cancelled = {};
  /// What fails less often than that, but not never, is on neither side.
  Confirmation confirmation = {};
};

/// Of a minimal case: sizes (batch, widths, inner dimensions) by search in both directions, also
/// periods ("fails where K mod 4 is 3"); critical values by bisection between floats, where the
/// share jumps there; alignment of buffers. `subject` is asked which row's result each wrong row
/// got ("row b has what row b mod 16 should have"). Empty where nothing turns.
std::vector<Boundary> boundaries(const Shrunk& failing, const Judge& judge, const Subject& subject,
                                 const BoundaryOptions& options = {});

}  // namespace ulpfuzz
