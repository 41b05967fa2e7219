#include "cuda_stand_in.hpp"
#include "kernels.hpp"

// In place of kernels that nvcc compiles: the same launches, queued on the stand-in.
namespace ulpfuzz::kernels::cuda {
namespace {

template <class OneLaunch>
void on_stand_in(const OneLaunch& launch, float* workspace, cudaStream_t stream) {
  stand_in::gpu().select(stand_in::index_of(stream));
  stand_in::gpu().launch(launch, workspace);
}

}  // namespace

void queue(const Gemm& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const Gemv& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const UnitGemm& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const Softmax& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const Norm& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const RowGradient& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const ColumnSum& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const Map& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const Move& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const CheckZones& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }
void queue(const Pack& l, float* w, cudaStream_t s) { on_stand_in(l, w, s); }

cudaError_t find_kernels() { return cudaSuccess; }

}  // namespace ulpfuzz::kernels::cuda
