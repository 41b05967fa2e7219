#pragma once

#include "ulpfuzz/kernels/accumulate.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"
#include "ulpfuzz/kernels/parts.hpp"

namespace ulpfuzz::kernels {

/// Operands of one step of a tile, as the threads of a block share them.
template <class Shape>
struct alignas(32) StagedTerms {
  float a[Shape::depth][Shape::rows];
  float b[Shape::depth][Shape::columns];
};

/// Rows of a and columns of b, `depth` terms of each, in block.shared().terms. Columns that y does
/// not have are 0 where a thread computes them beside those it has; their sums are never put
/// anywhere.
ULPFUZZ_ANY_CALLER
template <unsigned Threads, class Block>
ULPFUZZ_HOST_DEVICE inline void stage(Block& block, const Product& p, const float* a,
                                      const float* b, const Place& place, unsigned depth) {
  constexpr unsigned tc = sums_across;
  auto& terms = block.shared().terms;
  const unsigned columns = (place.columns + tc - 1) / tc * tc;
  const unsigned lines = place.rows < columns ? columns : place.rows;
  block.each(lines < Threads ? lines : Threads, [&](unsigned t) {
    for (unsigned i = t; i < place.rows; i += Threads) {
      const float* from = a + i * p.a_row;
      for (unsigned d = 0; d < depth; ++d, from += p.a_step) terms.a[d][i] = *from;
    }
    for (unsigned j = t; j < place.columns; j += Threads) {
      const float* from = b + j * p.b_column;
      for (unsigned d = 0; d < depth; ++d, from += p.b_step) terms.b[d][j] = *from;
    }
    for (unsigned j = t; j < columns; j += Threads)
      for (unsigned d = 0; j >= place.columns && d < depth; ++d) terms.b[d][j] = 0;
  });
}

}  // namespace ulpfuzz::kernels
