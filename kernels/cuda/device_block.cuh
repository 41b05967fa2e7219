#pragma once

#include "ulpfuzz/kernels/block.hpp"

namespace ulpfuzz::kernels::cuda {

/// A block on a device: kernels::HostBlock's members, of the thread that calls them.
template <class Program>
class DeviceBlock {
 public:
  using Shared = typename Program::Shared;
  template <class T>
  struct Registers {
    T own;
    __device__ T& operator[](unsigned) { return own; }
    __device__ const T& operator[](unsigned) const { return own; }
  };

  __device__ explicit DeviceBlock(Shared& shared) : shared_(shared) {}

  __device__ std::size_t index() const { return blockIdx.x; }
  __device__ Shared& shared() { return shared_; }
  template <class Phase>
  __device__ void each(const Phase& phase) {
    phase(threadIdx.x);
    __syncthreads();
  }
  template <class Phase>
  __device__ void each(unsigned count, const Phase& phase) {
    if (threadIdx.x < count) phase(threadIdx.x);
    __syncthreads();
  }
  template <class T>
  __device__ Registers<T> exchange(const Registers<T>& r, unsigned mask) {
    return {__shfl_xor_sync(0xffffffffu, r.own, static_cast<int>(mask))};
  }
  /// Not atomicAdd, which takes subnormals in global memory for 0 (PTX ISA, "atom").
  __device__ void atomic_add(float* to, float value) {
    auto* const bits = reinterpret_cast<unsigned*>(to);
    unsigned found = *bits, expected;
    do {
      expected = found;
      found = atomicCAS(bits, expected, __float_as_uint(__uint_as_float(expected) + value));
    } while (found != expected);
  }

 private:
  Shared& shared_;
};

template <class Program>
__global__ void __launch_bounds__(Program::threads)
    block_kernel(const __grid_constant__ Program program) {
  __shared__ typename Program::Shared shared;
  DeviceBlock<Program> block(shared);
  program(block);
}

}  // namespace ulpfuzz::kernels::cuda
