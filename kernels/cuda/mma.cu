#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "mma_instructions.cuh"
#include "status.hpp"
#include "ulpfuzz/kernels/cuda/mma.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

constexpr unsigned rows = 16, columns = 8, lanes = 32;

struct Tiles {
  const float *a, *b, *c;
  float* d;
};

// Where the registers of a thread lie in tiles: PTX ISA, "Matrix fragments for mma.m16n8k4" and
// those that follow it. Register i of A is of row group + 8 (i % 2), sum i of row group + 8 (i /
// 2).

/// Register r of a row of A or column of B, whose elements are `step` apart: element 4 r + member,
/// or the two from 8 r + 2 member on.
template <Format F>
__device__ std::uint32_t operand(const float* line, unsigned step, unsigned r) {
  const unsigned member = threadIdx.x % 4;
  if constexpr (F == Format::tf32) return __float_as_uint(line[(4 * r + member) * step]);
  const float* const two = line + (8 * r + 2 * member) * step;
  return packed<F>(two[0], two[step]);
}

template <Format F, unsigned K, Format Sum>
__global__ void multiply_kernel(Tiles t) {
  using Instruction = MmaInstruction<F, K, Sum>;
  const std::size_t tile = blockIdx.x;
  const unsigned group = threadIdx.x / 4, member = threadIdx.x % 4;
  typename Instruction::Registers r;
  constexpr unsigned depth = F == Format::tf32 ? K / 4 : K / 8;
  const float* const a = t.a + tile * rows * K;
  for (unsigned i = 0; i < 2 * depth; ++i)
    r.a[i] = operand<F>(a + (group + 8 * (i % 2)) * K, 1, i / 2);
  for (unsigned i = 0; i < depth; ++i)
    r.b[i] = operand<F>(t.b + tile * K * columns + group, columns, i);
  const auto at = [&](unsigned i) {
    return tile * rows * columns + (group + 8 * (i / 2)) * columns + 2 * member + i % 2;
  };
  float sums[4];
  for (unsigned i = 0; i < 4; ++i) sums[i] = t.c[at(i)];
  Instruction::apply(r, sums);
  for (unsigned i = 0; i < 4; ++i) t.d[at(i)] = sums[i];
}

using Kernel = void (*)(Tiles);

template <Format F, Format Sum>
Kernel half_kernel(unsigned k) {
  if (k == 8) return multiply_kernel<F, 8, Sum>;
  return k == 16 ? multiply_kernel<F, 16, Sum> : nullptr;
}

Kernel kernel_of(const Mma& mma) {
  if (mma.accumulate == Format::fp16)
    return mma.operand == Format::fp16 ? half_kernel<Format::fp16, Format::fp16>(mma.k) : nullptr;
  if (mma.accumulate != Format::fp32) return nullptr;
  if (mma.operand == Format::fp16) return half_kernel<Format::fp16, Format::fp32>(mma.k);
  if (mma.operand == Format::bf16) return half_kernel<Format::bf16, Format::fp32>(mma.k);
  if (mma.operand != Format::tf32) return nullptr;
  if (mma.k == 4) return multiply_kernel<Format::tf32, 4, Format::fp32>;
  return mma.k == 8 ? multiply_kernel<Format::tf32, 8, Format::fp32> : nullptr;
}

/// An array on the device.
class Array {
 public:
  explicit Array(std::size_t count) : bytes_(count * sizeof(float)) {
    check(cudaMalloc(&data_, bytes_), "cudaMalloc");
  }
  Array(const float* from, std::size_t count) : Array(count) {
    check(cudaMemcpy(data_, from, bytes_, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Array() { cudaFree(data_); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  float* data() { return data_; }
  void copy_to(float* to) const {
    check(cudaMemcpy(to, data_, bytes_, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

 private:
  float* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

void multiply_tiles(const Mma& mma, std::size_t tiles, const float* a, const float* b,
                    const float* c, float* d) {
  const Kernel kernel = kernel_of(mma);
  if (kernel == nullptr)
    throw std::invalid_argument(
        "multiply_tiles: no instruction of " + std::string(traits(mma.operand).name) + " with k " +
        std::to_string(mma.k) + " and sums in " + std::string(traits(mma.accumulate).name) +
        "; tf32 with k 4 or 8, bf16 or fp16 with k 8 or 16 and sums in fp32 would fit, or fp16 " +
        "in fp16");
  if (tiles == 0) return;
  Array device_a(a, tiles * rows * mma.k), device_b(b, tiles * mma.k * columns);
  Array device_c(c, tiles * rows * columns), device_d(tiles * rows * columns);
  kernel<<<static_cast<unsigned>(tiles), lanes>>>(
      {device_a.data(), device_b.data(), device_c.data(), device_d.data()});
  check(cudaGetLastError(), "launch of multiply_kernel");
  device_d.copy_to(d);
}

}  // namespace ulpfuzz::kernels::cuda
