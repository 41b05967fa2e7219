#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/execution_space.hpp"

namespace ulpfuzz::kernels {

/// sum of x[i x_stride] y[i y_stride], i < n, strictly from left to right, starting at +0: an empty
/// sum is +0. Barring underflow, |error| <= gamma(n, u) sum |x y| (Higham, ASNA, section 3.1).
template <class T>
ULPFUZZ_HOST_DEVICE inline T dot(const T* x, std::size_t x_stride, const T* y, std::size_t y_stride,
                                 std::size_t n) {
  T sum = T(0);
  for (std::size_t i = 0; i < n; ++i) sum = sum + x[i * x_stride] * y[i * y_stride];
  return sum;
}

/// sum of x[i stride], i < n, from left to right, starting at +0.
template <class T>
ULPFUZZ_HOST_DEVICE inline T sum(const T* x, std::size_t stride, std::size_t n) {
  T total = T(0);
  for (std::size_t i = 0; i < n; ++i) total = total + x[i * stride];
  return total;
}

/// Element (row, col) of x[rows,k] W[n,k]^T + bias[n]: the bias is added last; it may be null.
template <class T>
ULPFUZZ_HOST_DEVICE inline T linear_element(const T* x, const T* weight, const T* bias,
                                            std::size_t k, std::size_t row, std::size_t col) {
  const T product = dot(x + row * k, 1, weight + col * k, 1, k);
  return bias == nullptr ? product : product + bias[col];
}

/// Element (row, col) of op(a) op(b), op(a) m x k, op(b) k x n.
template <class T>
ULPFUZZ_HOST_DEVICE inline T matmul_element(const T* a, const T* b, bool transpose_a,
                                            bool transpose_b, std::size_t m, std::size_t k,
                                            std::size_t n, std::size_t row, std::size_t col) {
  return dot(transpose_a ? a + row : a + row * k, transpose_a ? m : 1,
             transpose_b ? b + col * k : b + col, transpose_b ? 1 : n, k);
}

}  // namespace ulpfuzz::kernels
