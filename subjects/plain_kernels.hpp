#pragma once

#include <cstddef>

#include "activation_dispatch.hpp"
#include "ulpfuzz/kernels/dense.hpp"
#include "ulpfuzz/kernels/norm.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz {

/// The kernels a walker needs, in numbers of type T, written for clarity: KernelSubject's hooks
/// with T for float.
template <class T>
struct PlainKernels {
  void linear(const T* x, const T* weight, const T* bias, std::size_t rows, std::size_t k,
              std::size_t n, T* y) const {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j)
        y[r * n + j] = kernels::linear_element(x, weight, bias, k, r, j);
  }
  void matmul(const MatmulCall& c, const T* a, const T* b, T* y) const {
    for (std::size_t e = 0; e < c.entries; ++e, y += c.m * c.n)
      for (std::size_t i = 0; i < c.m; ++i)
        for (std::size_t j = 0; j < c.n; ++j)
          y[i * c.n + j] = kernels::matmul_element(a + e / c.a_repeat * c.a_stride,
                                                   b + e / c.b_repeat * c.b_stride, c.transpose_a,
                                                   c.transpose_b, c.m, c.k, c.n, i, j);
  }
  void outer_sum(const T* a, const T* b, std::size_t rows, std::size_t n, std::size_t k,
                 T* y) const {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < k; ++j) y[i * k + j] = kernels::dot(a + i, n, b + j, k, rows);
  }
  void sum(const T* x, std::size_t rows, std::size_t n, T* y) const {
    for (std::size_t j = 0; j < n; ++j) y[j] = kernels::sum(x + j, n, rows);
  }
  void activation(Op phi, float alpha, const T* x, std::size_t count, T* y) const {
    with_activation(phi, alpha, [&](const auto& kernel) {
      for (std::size_t i = 0; i < count; ++i) y[i] = kernels::apply(kernel, x[i]);
    });
  }
  void derivative(Op phi, float alpha, const T* x, std::size_t count, T* y) const {
    with_derivative(phi, alpha, [&](const auto& kernel) {
      for (std::size_t i = 0; i < count; ++i) y[i] = kernels::apply(kernel, x[i]);
    });
  }
  void add(const T* a, const T* b, std::size_t count, T* y) const {
    for (std::size_t i = 0; i < count; ++i) y[i] = a[i] + b[i];
  }
  void mul(const T* a, const T* b, std::size_t count, T* y) const {
    for (std::size_t i = 0; i < count; ++i) y[i] = a[i] * b[i];
  }
  void softmax(const T* x, std::size_t rows, std::size_t n, T* y) const {
    for (std::size_t r = 0; r < rows; ++r) kernels::softmax_row(x + r * n, n, y + r * n);
  }
  void layer_norm(const T* x, float epsilon, std::size_t rows, std::size_t n, T* y) const {
    for (std::size_t r = 0; r < rows; ++r)
      kernels::layer_norm_row(x + r * n, epsilon, n, y + r * n);
  }
  void rms_norm(const T* x, float epsilon, std::size_t rows, std::size_t n, T* y) const {
    for (std::size_t r = 0; r < rows; ++r) kernels::rms_norm_row(x + r * n, epsilon, n, y + r * n);
  }
  void softmax_grad(const T* v, const T* s, std::size_t rows, std::size_t n, T* y) const {
    for (std::size_t r = 0; r < rows; ++r)
      kernels::softmax_grad_row(v + r * n, s + r * n, n, y + r * n);
  }
  void layer_norm_grad(const T* v, const T* x, float epsilon, std::size_t rows, std::size_t n,
                       T* y) const {
    for (std::size_t r = 0; r < rows; ++r)
      kernels::layer_norm_grad_row(v + r * n, x + r * n, epsilon, n, y + r * n);
  }
  void rms_norm_grad(const T* v, const T* x, float epsilon, std::size_t rows, std::size_t n,
                     T* y) const {
    for (std::size_t r = 0; r < rows; ++r)
      kernels::rms_norm_grad_row(v + r * n, x + r * n, epsilon, n, y + r * n);
  }
};

}  // namespace ulpfuzz
