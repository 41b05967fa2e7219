#pragma once

#include <cuda_runtime_api.h>

#include "ulpfuzz/kernels/device.hpp"

/// Queues the programs of a launch on a stream; throws DeviceError. One function a launch, spread
/// over several sources, which nvcc compiles side by side.
namespace ulpfuzz::kernels::cuda {

void queue(const Gemm& gemm, float* workspace, cudaStream_t stream);
void queue(const Gemv& gemv, float* workspace, cudaStream_t stream);
void queue(const UnitGemm& gemm, float* workspace, cudaStream_t stream);
void queue(const Softmax& softmax, float* workspace, cudaStream_t stream);
void queue(const Norm& norm, float* workspace, cudaStream_t stream);
void queue(const RowGradient& gradient, float* workspace, cudaStream_t stream);
void queue(const ColumnSum& sum, float* workspace, cudaStream_t stream);
void queue(const Map& map, float* workspace, cudaStream_t stream);
void queue(const Move& move, float* workspace, cudaStream_t stream);
void queue(const CheckZones& zones, float* workspace, cudaStream_t stream);
void queue(const Pack& pack, float* workspace, cudaStream_t stream);

/// Whether the device can run what was compiled here.
cudaError_t find_kernels();

}  // namespace ulpfuzz::kernels::cuda
