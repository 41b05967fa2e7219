#pragma once

#include <cstdint>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::shrinking {

/// Numbers that take the place of those that a case has.
enum class Fresh : std::uint8_t {
  witnesses,  ///< mostly 1; else 0, -1 and what formats and sums cannot hold: 1 + 2^-11, 2^-24
  integers,   ///< 1..16 of both signs
  few_bits,   ///< magnitudes in [1/2, 2) with 12 bits
  all_bits,   ///< the same with 24 bits
  shuffled,   ///< what each tensor holds, drawn anew: special numbers stay
};

/// The same structure with other numbers, always the same ones for a seed: a structure may well
/// show a fault, but not with the numbers that are left from a larger one.
Case with_fresh_numbers(Case c, Fresh fresh, std::uint64_t seed);

}  // namespace ulpfuzz::shrinking
