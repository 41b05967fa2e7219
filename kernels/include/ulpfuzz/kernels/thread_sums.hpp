#pragma once

#include "ulpfuzz/kernels/accumulate.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/loops.hpp"

namespace ulpfuzz::kernels {

/// Output elements of a block and of a thread, and steps along k.
template <unsigned Rows, unsigned Columns, unsigned Depth, unsigned ThreadRows>
struct TileShape {
  static constexpr unsigned rows = Rows, columns = Columns, depth = Depth;
  static constexpr unsigned thread_rows = ThreadRows, thread_columns = sums_across;
  static constexpr unsigned threads = rows / thread_rows * (columns / thread_columns);
};

/// A thread's elements of a tile: (i + r, j + c), r < rows, c < tc, in one slice. Columns that y
/// does not have are computed too.
template <class Shape>
struct ThreadSums {
  static constexpr unsigned tr = Shape::thread_rows, tc = Shape::thread_columns;
  unsigned slice, i, j, rows;
  alignas(32) float at[tr][tc];

  /// Adds `terms` terms, first to last: row i of a is a[d Shape::rows + i], column j of b is
  /// b[d Shape::columns + j].
  ULPFUZZ_HOST_DEVICE void add(bool fused, const float* a, const float* b, unsigned terms) {
    if (rows == tr) {
      accumulate<tr>(fused, a + i, Shape::rows, b + j, Shape::columns, terms, at);
      return;
    }
    ULPFUZZ_ALONG
    for (unsigned r = 0; r < tr; ++r)
      if (r < rows)
        accumulate<1>(fused, a + i + r, Shape::rows, b + j, Shape::columns, terms, at + r);
  }
};

/// Adds the upper half of the slices of a block to the lower one until one is left, a row of each
/// thread's sums after the other, by way of block.shared().row. `own` threads a slice.
ULPFUZZ_ANY_CALLER
template <unsigned Slices, class Shape, class Block>
ULPFUZZ_HOST_DEVICE inline void add_slices(
    Block& block, unsigned own, typename Block::template Registers<ThreadSums<Shape>>& sums) {
  auto& rows = block.shared().row;
  ULPFUZZ_ALONG
  for (unsigned half = Slices / 2; half > 0; half /= 2) {
    ULPFUZZ_ALONG
    for (unsigned r = 0; r < Shape::thread_rows; ++r) {
      block.each(2 * half * own, [&](unsigned t) {
        if (t < half * own || r >= sums[t].rows) return;
        ULPFUZZ_ALONG
        for (unsigned c = 0; c < sums_across; ++c) rows[t - half * own][c] = sums[t].at[r][c];
      });
      block.each(half * own, [&](unsigned t) {
        if (r >= sums[t].rows) return;
        ULPFUZZ_ALONG
        for (unsigned c = 0; c < sums_across; ++c) sums[t].at[r][c] = sums[t].at[r][c] + rows[t][c];
      });
    }
  }
}

}  // namespace ulpfuzz::kernels
