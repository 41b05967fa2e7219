#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace ulpfuzz::generators {

/// first, first + 1, .. last - 1
inline std::vector<std::uint32_t> index_range(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> indices(last - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

}  // namespace ulpfuzz::generators
