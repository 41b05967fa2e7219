#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/product.hpp"
#include "ulpfuzz/kernels/shares.hpp"

namespace ulpfuzz::kernels {

/// The operands of an entry.
ULPFUZZ_HOST_DEVICE inline const float* first_of_a(const Product& p, std::size_t entry) {
  return p.a + (p.a_repeat == 1 ? entry : entry / p.a_repeat) * p.a_entry;
}
ULPFUZZ_HOST_DEVICE inline const float* first_of_b(const Product& p, std::size_t entry) {
  return p.b + (p.b_repeat == 1 ? entry : entry / p.b_repeat) * p.b_entry;
}

/// A tile of y: elements (row + i, column + j) of an entry, i < rows, j < columns.
struct Place {
  std::size_t entry, row, column;
  unsigned rows, columns;
};

/// The tiles of y, entry by entry, row by row.
struct Tiling {
  std::size_t m = 0, n = 0;
  unsigned rows = 1, columns = 1;  ///< of a tile
  std::size_t down = 0, across = 0;
  std::size_t tiles = 0;

  ULPFUZZ_HOST_DEVICE Place place(std::size_t tile) const {
    const std::size_t line = tile / across, entry = line / down;
    const std::size_t row = (line - entry * down) * rows;
    const std::size_t column = (tile - line * across) * columns;
    return {entry, row, column, least(m - row, rows), least(n - column, columns)};
  }
  ULPFUZZ_HOST_DEVICE static unsigned least(std::size_t left, unsigned size) {
    return left < size ? static_cast<unsigned>(left) : size;
  }
};

inline Tiling tiling_of(const Product& product, unsigned rows, unsigned columns) {
  const std::size_t down = (product.m + rows - 1) / rows;
  const std::size_t across = (product.n + columns - 1) / columns;
  return {product.m, product.n, rows, columns, down, across, product.entries * down * across};
}

/// Steps begin .. end - 1 of a tile, whose partial sum is kept in slot `slot`.
struct Stretch {
  std::size_t tile, begin, end, slot;
};

/// Slots of the partial sums of a tile, in the order of their steps.
struct Slots {
  std::size_t first, count;
};

/// Which block takes which steps of which tile. A tile has at least one step, which is empty where
/// k is 0; there are no more splits than steps and no more stream-K blocks than steps of all tiles.
struct Parts {
  std::size_t tiles = 0, steps = 1;
  std::size_t blocks = 0;
  std::size_t splits = 1;  ///< of each tile; not used by stream-K
  bool stream = false;

  /// Whether blocks have tiles of their own.
  ULPFUZZ_HOST_DEVICE bool whole() const { return !stream && splits == 1; }

  /// Positions tile * steps + step of a block's first step and of what follows its last one.
  ULPFUZZ_HOST_DEVICE std::size_t begin(std::size_t block) const {
    if (whole()) return block * steps;
    if (stream) return Shares{tiles * steps, blocks}.begin(block);
    const std::size_t tile = block / splits;
    return tile * steps + Shares{steps, splits}.begin(block - tile * splits);
  }
  ULPFUZZ_HOST_DEVICE Stretch stretch(std::size_t block, std::size_t from, std::size_t to) const {
    const std::size_t tile = from / steps, begin = from - tile * steps, left = to - from;
    const std::size_t count = left < steps - begin ? left : steps - begin;
    return {tile, begin, begin + count, stream ? block + tile : block};
  }
  /// use(stretch) for those of a block, first to last.
  ULPFUZZ_ANY_CALLER
  template <class Use>
  ULPFUZZ_HOST_DEVICE void each_stretch(std::size_t block, const Use& use) const {
    const std::size_t to = begin(block + 1);
    for (std::size_t from = begin(block); from < to;) {
      const Stretch s = stretch(block, from, to);
      use(s);
      from += s.end - s.begin;
    }
  }
  ULPFUZZ_HOST_DEVICE Slots slots(std::size_t tile) const {
    if (!stream) return {tile * splits, splits};
    const Shares of{tiles * steps, blocks};
    const std::size_t first = of.owner(tile * steps), last = of.owner((tile + 1) * steps - 1);
    return {first + tile, last - first + 1};
  }
  /// Of all tiles.
  std::size_t all_slots() const { return stream ? blocks + tiles : blocks; }
};

inline Parts parts_of(const Decomposition& decomposition, std::size_t tiles, std::size_t k,
                      unsigned depth) {
  const std::size_t steps = k == 0 ? 1 : (k + depth - 1) / depth;
  const auto at_most = [](std::size_t wanted, std::size_t most) {
    return wanted < 1 ? std::size_t{1} : wanted < most ? wanted : most;
  };
  if (decomposition.stream == 0) {
    const std::size_t splits = at_most(decomposition.splits, steps);
    return {tiles, steps, tiles * splits, splits, false};
  }
  const std::size_t blocks = tiles == 0 ? 0 : at_most(decomposition.stream, tiles * steps);
  return {tiles, steps, blocks, 1, true};
}

}  // namespace ulpfuzz::kernels
