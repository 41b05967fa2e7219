#include "queue.cuh"
#include "ulpfuzz/kernels/gemm_programs.hpp"

namespace ulpfuzz::kernels::cuda {

void queue(const Gemm& gemm, float* workspace, cudaStream_t stream) {
  queue_programs(gemm, workspace, stream, "launch of Gemm");
}

void queue(const Gemv& gemv, float* workspace, cudaStream_t stream) {
  queue_programs(gemv, workspace, stream, "launch of Gemv");
}

}  // namespace ulpfuzz::kernels::cuda
