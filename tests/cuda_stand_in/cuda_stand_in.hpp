#pragma once

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <memory>

#include "support/blas_stand_in.hpp"

/// Functions of the CUDA runtime, cuBLAS and cuBLASLt on a GpuStandIn: this executable has them in
/// front of the libraries, so that ulpfuzz_kernels_cuda runs on them, its kernels apart.
namespace ulpfuzz::stand_in {

/// What all of the process' devices are controlled by. As it takes effect with the next device, a
/// test that changes more than failures begins with `new_cuda`.
std::shared_ptr<Control> cuda_control();
/// As a new process would find it: no context, no error, counts at 0.
void new_cuda();

/// The GPU, made at its first use, and its BLAS.
GpuStandIn& gpu();
BlasStandIn& gpu_blas();

/// The stream's number; the default stream is 0, which nothing here may use.
unsigned index_of(cudaStream_t stream);

/// Calls use() and says how that went, as the runtime and as cuBLAS do.
template <class Use>
cudaError_t cuda_status(const Use& use);
template <class Use>
cublasStatus_t blas_status(const Use& use);

cudaError_t status_of(const kernels::DeviceError& error);
cublasStatus_t blas_status_of(const kernels::DeviceError& error);
void remember(cudaError_t status);

template <class Use>
cudaError_t cuda_status(const Use& use) {
  try {
    use();
    return cudaSuccess;
  } catch (const kernels::DeviceError& error) {
    remember(status_of(error));
    return status_of(error);
  }
}

template <class Use>
cublasStatus_t blas_status(const Use& use) {
  try {
    use();
    return CUBLAS_STATUS_SUCCESS;
  } catch (const kernels::DeviceError& error) {
    return blas_status_of(error);
  }
}

}  // namespace ulpfuzz::stand_in
