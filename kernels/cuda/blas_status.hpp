#pragma once

#include <cublas_v2.h>

#include <string>

#include "ulpfuzz/kernels/blas.hpp"

namespace ulpfuzz::kernels::cuda {

/// Throws DeviceError "CALL: STATUS: sizes of the call" unless `status` is success; sticky where
/// the device is lost.
void check(cublasStatus_t status, const char* call);
void check(cublasStatus_t status, const char* call, const BlasGemm& sizes);
void check(cublasStatus_t status, const char* call, const BlasGemv& sizes);

/// A size as cuBLAS takes it; std::invalid_argument for more than 2^31 - 1.
int blas_size(std::size_t size);

cublasComputeType_t compute_type(MathMode mode);
cublasMath_t math_mode(MathMode mode);
cudaDataType data_type(Format operand);

}  // namespace ulpfuzz::kernels::cuda
