#pragma once

#include <cstddef>

#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/network/op.hpp"

/// The ops that are no sums, with each operation rounded to `accumulate`: kernels/ in other
/// numbers. Sums inside of softmax and norms are from left to right.
namespace ulpfuzz::emulated {

struct Functions {
  Format accumulate;
  bool fast_exp, fast_tanh;
};

void activation(const Functions& f, Op phi, float alpha, const float* x, std::size_t count,
                float* y);
void derivative(const Functions& f, Op phi, float alpha, const float* x, std::size_t count,
                float* y);
void add(Format accumulate, const float* a, const float* b, std::size_t count, float* y);
void multiply(Format accumulate, const float* a, const float* b, std::size_t count, float* y);

void softmax(const Functions& f, const float* x, std::size_t rows, std::size_t n, float* y);
void softmax_grad(Format accumulate, const float* v, const float* s, std::size_t rows,
                  std::size_t n, float* y);
/// layer_norm, rms_norm: v is null. Their gradients: of v at x.
void norm(Format accumulate, Op op, const float* v, const float* x, float epsilon, std::size_t rows,
          std::size_t n, float* y);

}  // namespace ulpfuzz::emulated
