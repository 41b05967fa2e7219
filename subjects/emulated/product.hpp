#pragma once

#include <cstddef>

#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz::emulated {

/// y[i * ldy + j] = sum over q < k of a[i * a_row + q * a_step] b[q * b_step + j * b_column],
/// i < m, j < n, and bias[j] if there is one.
struct Product {
  std::size_t m, k, n;
  const float* a;
  std::size_t a_row, a_step;
  const float* b;
  std::size_t b_step, b_column;
  const float* bias;
  float* y;
  std::size_t ldy;
};

/// In an arithmetic and order. `by_unit`: operands are converted, and go through the matmul unit if
/// there is one; else they are multiplied as they are.
void multiply(const Product& product, const Arithmetic& arithmetic, const Summation& summation,
              bool by_unit);

/// y[j] = sum over r < rows of x[r * n + j].
void sum(const float* x, std::size_t rows, std::size_t n, const Arithmetic& arithmetic,
         const Summation& summation, float* y);

}  // namespace ulpfuzz::emulated
