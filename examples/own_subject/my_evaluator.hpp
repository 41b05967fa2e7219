#pragma once

#include <cstddef>

/// An evaluator that knows nothing of ulpfuzz: here its one kernel of interest.
namespace mine {

/// y[rows,n] = x[rows,k] w[n,k]^T + bias[n]; bias may be null.
void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
            std::size_t n, float* y);

}  // namespace mine
