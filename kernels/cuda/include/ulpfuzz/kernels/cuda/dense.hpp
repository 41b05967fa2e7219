#pragma once

#include <cstddef>

namespace ulpfuzz::kernels::cuda {

/// y[rows,n] = x[rows,k] weight[n,k]^T + bias[n] on the current device; bias may be null. All
/// arrays are on the host, dense, row-major. One thread an element computes kernels::linear_element
/// without contraction, so the bits are those of the host build. Not fast: copies both ways, waits.
/// Throws std::runtime_error, naming the call and CUDA's message, where the device fails.
void linear(const float* x, const float* weight, const float* bias, std::size_t rows, std::size_t k,
            std::size_t n, float* y);

}  // namespace ulpfuzz::kernels::cuda
