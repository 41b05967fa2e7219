#pragma once

#include <cstdint>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::bench {

/// What one (property, subject) did, the inner loop of a campaign without shrinking.
struct Measurement {
  std::uint64_t cases = 0;
  std::uint64_t failures = 0;
  std::uint64_t unjudged = 0;  ///< vacuous or skipped
  double seconds = 0, generate = 0, evaluate = 0, bound = 0;
  double share_max = 0;
  double rows = 0, slices = 0, multiply_adds = 0;

  double rate() const { return static_cast<double>(cases) / seconds; }
  double part(double s) const { return 100 * s / seconds; }
  double other() const { return seconds - generate - evaluate - bound; }
};

/// Checks `property` on plain cases 0, 1, ... of `seed` for `seconds`.
Measurement measure(const Property& property, const Subject& subject, std::uint64_t seed,
                    double seconds);

/// Peak resident memory, in MiB, of a process that checks `cases` forward and a tenth as many
/// gradient cases, that many times over, and then ends; negative if it failed.
double peak_memory(const Subject& subject, std::uint64_t seed, std::uint64_t cases, unsigned times);

}  // namespace ulpfuzz::bench
