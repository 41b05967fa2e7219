#pragma once

#include <cstddef>
#include <vector>

#include "support/stand_in_memory.hpp"
#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/kernels/blas.hpp"

namespace ulpfuzz::stand_in {

/// In which order a stand-in's algorithm adds: first to last; last to first; so many sums side by
/// side, then one after the other.
enum class Order { forwards, backwards, eight_lanes };

float dot(const float* a, const float* b, std::size_t count, Order order);

/// What one entry of a gemm multiplies in the call's mode.
class Terms {
 public:
  Terms(const kernels::BlasGemm& call, int architecture, std::size_t entry);
  /// Terms from .. to - 1 of element (i, j), added up.
  float sum(Order order, std::size_t i, std::size_t j, std::size_t from, std::size_t to) const;

 private:
  std::size_t k_;
  MatmulUnit unit_;
  std::vector<std::vector<float>> a_, b_;  ///< rows of op(A), columns of op(B); of all pieces
};

/// Where element (i, j) of C in entry e is.
float* element_of_c(const kernels::BlasGemm& call, std::size_t e, std::size_t i, std::size_t j);
/// beta c + sum; c is not read where beta is 0.
void store(float beta, float sum, float* c);

Range range_of_a(const kernels::BlasGemm& call);
Range range_of_b(const kernels::BlasGemm& call);
Range range_of_c(const kernels::BlasGemm& call);

}  // namespace ulpfuzz::stand_in
