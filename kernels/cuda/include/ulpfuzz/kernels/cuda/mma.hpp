#pragma once

#include <cstddef>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::kernels::cuda {

/// An instruction of the matmul unit, mma.sync: D = A B + C with A [16, k], B [k, 8], C and D
/// [16, 8]. These exist:
///   operand     k      accumulate
///   tf32        4, 8   fp32
///   fp16, bf16  8, 16  fp32
///   fp16        8, 16  fp16
struct Mma {
  Format operand = Format::tf32;
  unsigned k = 8;
  Format accumulate = Format::fp32;
};

/// D of `tiles` products, one instruction each: arrays [tiles, rows, columns] on the host of
/// numbers that the formats hold. Throws std::invalid_argument for an instruction that does not
/// exist, and DeviceError.
void multiply_tiles(const Mma& mma, std::size_t tiles, const float* a, const float* b,
                    const float* c, float* d);

}  // namespace ulpfuzz::kernels::cuda
