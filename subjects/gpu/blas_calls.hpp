#pragma once

#include <functional>
#include <optional>

#include "blas_operand.hpp"
#include "ulpfuzz/kernels/blas.hpp"

namespace ulpfuzz::gpu {

/// The product of entries over two operands as BLAS takes it: sizes of a Product, y dense.
struct BlasProduct {
  std::size_t m, n, k, entries;
  BlasOperand a, b;
  float* y;
  float beta;
  Format operand;
  kernels::MathMode mode;
};

/// The product with the rows of all entries as rows of one, where they lie that way and the right
/// side is shared.
kernels::Product folded(kernels::Product product);

/// Calls use(call) for strided batches that make up the product: one, or where operands are
/// repeated one for each run of entries that BLAS can express. Row-major y is the transposed one of
/// column-major calls, y^T = op(b)^T op(a)^T, or a row-major call's.
void each_batch(const BlasProduct& product, bool row_major,
                const std::function<void(const kernels::BlasGemm&)>& use);

/// The same call in the other layout: C^T = op(B)^T op(A)^T.
kernels::BlasGemm transposed(const kernels::BlasGemm& call);

/// One row or one column as a matrix times a vector; nothing where neither is, or the vector does
/// not lie in consecutive elements. For fp32 and one entry.
std::optional<kernels::BlasGemv> as_gemv(const BlasProduct& product);

}  // namespace ulpfuzz::gpu
