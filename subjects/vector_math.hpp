#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/elementary.hpp"

namespace ulpfuzz {

/// Does this machine have what glibc's libmvec functions for eight floats need?
bool vector_math_available();

/// Elementary functions of arrays as vectorised frameworks compute them: glibc's libmvec for eight
/// elements at a time, scalar libm for what is left over. So the last bits of an element depend on
/// its place. `to` may be `from`.
struct VectorMath {
  template <kernels::Function F>
  static void apply(const float* from, std::size_t count, float* to);
};

}  // namespace ulpfuzz
