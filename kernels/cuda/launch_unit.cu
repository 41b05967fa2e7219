#include "queue.cuh"
#include "ulpfuzz/kernels/unit_programs.hpp"

namespace ulpfuzz::kernels::cuda {

void queue(const UnitGemm& gemm, float* workspace, cudaStream_t stream) {
  queue_programs(gemm, workspace, stream, "launch of UnitGemm");
}

}  // namespace ulpfuzz::kernels::cuda
