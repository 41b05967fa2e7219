#include "queue.cuh"
#include "ulpfuzz/kernels/element_programs.hpp"
#include "ulpfuzz/kernels/pack_programs.hpp"

namespace ulpfuzz::kernels::cuda {

void queue(const Map& map, float* workspace, cudaStream_t stream) {
  queue_programs(map, workspace, stream, "launch of Map");
}

void queue(const Move& move, float* workspace, cudaStream_t stream) {
  queue_programs(move, workspace, stream, "launch of Move");
}

void queue(const CheckZones& zones, float* workspace, cudaStream_t stream) {
  queue_programs(zones, workspace, stream, "launch of CheckZones");
}

void queue(const Pack& pack, float* workspace, cudaStream_t stream) {
  queue_programs(pack, workspace, stream, "launch of Pack");
}

cudaError_t find_kernels() {
  cudaFuncAttributes attributes;
  return cudaFuncGetAttributes(&attributes, block_kernel<PackElements>);
}

}  // namespace ulpfuzz::kernels::cuda
