#pragma once

#include <algorithm>
#include <cstring>
#include <span>

#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {

/// Same length and same bits; empty values have no memory to compare.
inline bool equal_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// Same bits, or NaN on both sides: which NaN an operation gives is left open (IEEE 754-2019,
/// section 6.2), and compilers take either operand's.
inline bool equal_but_for_nan(float a, float b) { return same_bits(a, b) || (a != a && b != b); }
inline bool equal_but_for_nan(std::span<const float> a, std::span<const float> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](float x, float y) { return equal_but_for_nan(x, y); });
}

}  // namespace ulpfuzz::properties
