#include "queue.cuh"
#include "ulpfuzz/kernels/row_programs.hpp"

namespace ulpfuzz::kernels::cuda {

void queue(const Softmax& softmax, float* workspace, cudaStream_t stream) {
  queue_programs(softmax, workspace, stream, "launch of Softmax");
}

void queue(const Norm& norm, float* workspace, cudaStream_t stream) {
  queue_programs(norm, workspace, stream, "launch of Norm");
}

void queue(const RowGradient& gradient, float* workspace, cudaStream_t stream) {
  queue_programs(gradient, workspace, stream, "launch of RowGradient");
}

void queue(const ColumnSum& sum, float* workspace, cudaStream_t stream) {
  queue_programs(sum, workspace, stream, "launch of ColumnSum");
}

}  // namespace ulpfuzz::kernels::cuda
