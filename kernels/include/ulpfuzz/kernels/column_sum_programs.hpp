#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/row_launches.hpp"
#include "ulpfuzz/kernels/shares.hpp"

namespace ulpfuzz::kernels {

/// A block has `warp` columns of one part of the rows of one entry. The sum of a part goes to y if
/// there is one part, to y by atomics, or to partial [entries, parts, n].
template <unsigned RowsAtOnce>
struct ColumnSumProgram {
  static constexpr unsigned threads = RowsAtOnce * warp;
  struct Shared {
    float sum[threads];
  };
  ColumnSum sum;
  float* partial;

  std::size_t blocks() const { return sum.entries * sum.parts * across(); }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    const std::size_t line = block.index() / across();
    const std::size_t first_column = (block.index() - line * across()) * warp;
    const std::size_t entry = line / sum.parts, part = line - entry * sum.parts;
    const Shares rows{sum.rows, sum.parts};
    const std::size_t begin = rows.begin(part), end = rows.begin(part + 1);
    const float* const x = sum.x + entry * sum.rows * sum.n;
    auto& totals = block.shared().sum;
    block.each([&](unsigned t) {
      const std::size_t column = first_column + t % warp;
      float total = 0;
      if (column < sum.n)
        for (std::size_t r = begin + t / warp; r < end; r += RowsAtOnce)
          total = total + x[r * sum.n + column];
      totals[t] = total;
    });
    for (unsigned half = RowsAtOnce / 2; half > 0; half /= 2)
      block.each([&](unsigned t) {
        if (t < half * warp) totals[t] = totals[t] + totals[t + half * warp];
      });
    block.each([&](unsigned t) {
      const std::size_t column = first_column + t;
      if (t < warp && column < sum.n) store(block, line, entry, column, totals[t]);
    });
  }

 private:
  ULPFUZZ_HOST_DEVICE std::size_t across() const { return (sum.n + warp - 1) / warp; }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void store(Block& block, std::size_t line, std::size_t entry,
                                 std::size_t column, float total) const {
    if (partial != nullptr)
      partial[line * sum.n + column] = total;
    else if (sum.parts > 1)
      block.atomic_add(sum.y + entry * sum.n + column, total);
    else
      sum.y[entry * sum.n + column] = total;
  }
};

/// y = partial 0 + partial 1 + ..., from left to right.
struct CombineColumns {
  static constexpr unsigned threads = 4 * warp;
  struct Shared {};
  ColumnSum sum;
  const float* partial;

  std::size_t blocks() const { return (sum.entries * sum.n + threads - 1) / threads; }

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    block.each([&](unsigned t) {
      const std::size_t i = block.index() * threads + t;
      if (i >= sum.entries * sum.n) return;
      const std::size_t entry = i / sum.n, column = i - entry * sum.n;
      const float* const parts = partial + entry * sum.parts * sum.n + column;
      float total = parts[0];
      for (std::size_t part = 1; part < sum.parts; ++part) total = total + parts[part * sum.n];
      sum.y[i] = total;
    });
  }
};

}  // namespace ulpfuzz::kernels
