#pragma once

#include <cstddef>

#include "ulpfuzz/subjects/kernel_subject.hpp"

/// Plain fp32 loops, fast: each element is summed strictly from left to right (the bits of
/// ulpfuzz/kernels/dense.hpp, whatever the number of rows), elements are computed side by side.
namespace ulpfuzz::plain {

void linear(const float* x, const float* weight, const float* bias, std::size_t rows, std::size_t k,
            std::size_t n, float* y);
void matmul(const MatmulCall& call, const float* a, const float* b, float* y);
void outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n, std::size_t k,
               float* y);
void sum(const float* x, std::size_t rows, std::size_t n, float* y);

}  // namespace ulpfuzz::plain
