#pragma once

#include <cstdint>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

using Edits = std::vector<Edit>;

// The families of edits, in the order of simpler().
void simpler_network(const Case& c, const Focus& focus, Edits& edits);  ///< ops, biases
void simpler_widths(const Case& c, const Focus& focus, Edits& edits);
void simpler_rows(const Case& c, const Focus& focus, Edits& edits);
void simpler_split(const Case& c, const Focus& focus, Edits& edits);
void simpler_values(const Case& c, Edits& edits);

/// Calls f(first, last) for the pieces of [0, n) of at least two indices: halves, quarters, down to
/// n / `finest`. Each piece lies in one of those before; none comes twice.
template <class F>
void pieces(std::uint32_t n, std::uint32_t finest, F f) {
  for (std::uint64_t parts = 2; parts <= finest; parts *= 2) {
    for (std::uint64_t i = 0; i < parts; ++i) {
      const auto first = static_cast<std::uint32_t>(n * i / parts);
      const auto last = static_cast<std::uint32_t>(n * (i + 1) / parts);
      if (last - first >= 2) f(first, last);
    }
  }
}

/// The pieces of [0, n), then single indices: all of a few, else the last and the first. Dropping
/// such parts one after the other ends at a threshold exactly.
template <class F>
void chunks(std::uint32_t n, std::uint32_t finest, F f) {
  if (n < 2) return;
  pieces(n, finest, f);
  f(n - 1, n);
  for (std::uint32_t i = 0; i + 1 < (n <= finest ? n : 2); ++i) f(i, i + 1);
}

}  // namespace ulpfuzz::generators
