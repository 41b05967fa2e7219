#pragma once

#include <cstring>
#include <span>

namespace ulpfuzz::properties {

/// Same length and same bits; empty values have no memory to compare.
inline bool equal_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace ulpfuzz::properties
