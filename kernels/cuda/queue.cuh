#pragma once

#include <climits>
#include <stdexcept>
#include <string>

#include "device_block.cuh"
#include "kernels.hpp"
#include "status.hpp"

namespace ulpfuzz::kernels::cuda {

/// Queues a program of `blocks` blocks, at most 2^31 - 1, on a stream; `name` is for errors.
template <class Program>
void queue_blocks(const Program& program, std::size_t blocks, cudaStream_t stream,
                  const char* name) {
  if (blocks == 0) return;
  if (blocks > INT_MAX)
    throw std::invalid_argument(std::string(name) + " of " + std::to_string(blocks) +
                                " blocks; at most 2147483647 fit");
  block_kernel<<<static_cast<unsigned>(blocks), Program::threads, 0, stream>>>(program);
  check(cudaGetLastError(), name);
}

template <class OneLaunch>
void queue_programs(const OneLaunch& launch, float* workspace, cudaStream_t stream,
                    const char* name) {
  with_programs(launch, workspace, [&](const auto& program, std::size_t blocks) {
    queue_blocks(program, blocks, stream, name);
  });
}

}  // namespace ulpfuzz::kernels::cuda
