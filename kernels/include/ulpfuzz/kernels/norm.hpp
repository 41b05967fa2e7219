#pragma once

#include <cmath>
#include <cstddef>

#include "ulpfuzz/kernels/dense.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"

/// Functions of one feature row of n elements, and their Jacobians times a vector v (all three are
/// symmetric). x and y may not overlap.
namespace ulpfuzz::kernels {

/// e^(x - max) / sum, shifted by the maximum; NaN anywhere makes the row NaN.
template <class T>
ULPFUZZ_HOST_DEVICE inline void softmax_row(const T* x, std::size_t n, T* y) {
  using std::exp;
  if (n == 0) return;
  T top = x[0];
  for (std::size_t i = 1; i < n; ++i) top = x[i] > top ? x[i] : top;
  for (std::size_t i = 0; i < n; ++i) y[i] = exp(x[i] - top);
  const T total = sum(y, 1, n);
  for (std::size_t i = 0; i < n; ++i) y[i] = y[i] / total;
}

/// s (v - s.v)
template <class T>
ULPFUZZ_HOST_DEVICE inline void softmax_grad_row(const T* v, const T* s, std::size_t n, T* y) {
  const T projection = dot(v, 1, s, 1, n);
  for (std::size_t i = 0; i < n; ++i) y[i] = s[i] * (v[i] - projection);
}

/// Two passes: mean, then the mean of (x - mean)^2; y = (x - mean) (1 / sqrt(variance + epsilon)).
/// Returns 1 / sqrt(variance + epsilon).
template <class T>
ULPFUZZ_HOST_DEVICE inline T layer_norm_row(const T* x, float epsilon, std::size_t n, T* y) {
  using std::sqrt;
  if (n == 0) return T(0);
  const T count = T(static_cast<float>(n));
  const T mean = sum(x, 1, n) / count;
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] - mean;
  const T scale = T(1) / sqrt(dot(y, 1, y, 1, n) / count + T(epsilon));
  for (std::size_t i = 0; i < n; ++i) y[i] = y[i] * scale;
  return scale;
}

/// r (v - mean(v) - z mean(v z)) with z = layer_norm(x), r = 1 / sqrt(variance + epsilon).
template <class T>
ULPFUZZ_HOST_DEVICE inline void layer_norm_grad_row(const T* v, const T* x, float epsilon,
                                                    std::size_t n, T* y) {
  if (n == 0) return;
  const T count = T(static_cast<float>(n));
  const T scale = layer_norm_row(x, epsilon, n, y);
  const T mean = sum(v, 1, n) / count;
  const T along = dot(v, 1, y, 1, n) / count;
  for (std::size_t i = 0; i < n; ++i) y[i] = scale * (v[i] - mean - y[i] * along);
}

/// x (1 / sqrt(mean x^2 + epsilon)). Returns the factor.
template <class T>
ULPFUZZ_HOST_DEVICE inline T rms_norm_row(const T* x, float epsilon, std::size_t n, T* y) {
  using std::sqrt;
  if (n == 0) return T(0);
  const T scale = T(1) / sqrt(dot(x, 1, x, 1, n) / T(static_cast<float>(n)) + T(epsilon));
  for (std::size_t i = 0; i < n; ++i) y[i] = x[i] * scale;
  return scale;
}

/// r (v - z mean(v z)) with z = rms_norm(x).
template <class T>
ULPFUZZ_HOST_DEVICE inline void rms_norm_grad_row(const T* v, const T* x, float epsilon,
                                                  std::size_t n, T* y) {
  if (n == 0) return;
  const T scale = rms_norm_row(x, epsilon, n, y);
  const T along = dot(v, 1, y, 1, n) / T(static_cast<float>(n));
  for (std::size_t i = 0; i < n; ++i) y[i] = scale * (v[i] - y[i] * along);
}

}  // namespace ulpfuzz::kernels
