#include "sizes.hpp"

#include <algorithm>
#include <bit>

namespace ulpfuzz::generators {
namespace {

std::uint32_t uniform(Source& source, std::uint32_t limit) {
  return 1 + static_cast<std::uint32_t>(source.below(limit));
}

// tile - 1, tile or tile + 1 for a tile 4, 8 .. 128 whose lower neighbour fits.
std::uint32_t tile_edge(Source& source, std::uint32_t limit) {
  const std::uint32_t tiles = std::min<std::uint32_t>(6, std::bit_width(limit + 1) - 2);
  const std::uint32_t tile = std::uint32_t{4} << source.below(tiles);
  return tile - 1 + static_cast<std::uint32_t>(source.below(3));
}

}  // namespace

std::uint32_t draw_size(Source& source, std::uint32_t limit) {
  if (limit == 0) return 0;
  const std::uint64_t kind = source.below(100);
  std::uint32_t size = 0;
  if (kind < 45 || limit < 3) {
    size = uniform(source, std::min<std::uint32_t>(limit, 5));
  } else if (kind < 70) {
    size = tile_edge(source, limit);
  } else {
    size = uniform(source, kind < 92 ? std::min<std::uint32_t>(limit, 32) : limit);
  }
  return std::min(size, limit);
}

}  // namespace ulpfuzz::generators
