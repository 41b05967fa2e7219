#include "blas_status.hpp"

#include <fmt/format.h>

#include <climits>
#include <stdexcept>

#include "status.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

[[noreturn]] void fail(cublasStatus_t status, const char* call, const std::string& sizes) {
  cudaGetLastError();
  const bool sticky = loses_device(cudaDeviceSynchronize());
  throw DeviceError(fmt::format("{}: {}{}", call, cublasGetStatusName(status), sizes), sticky);
}

const char* mode_name(MathMode mode) {
  switch (mode) {
    case MathMode::standard:
      return "standard";
    case MathMode::pedantic:
      return "pedantic";
    case MathMode::tf32:
      return "tf32";
    case MathMode::bf16x9:
      return "bf16x9";
  }
  return "?";
}

std::string text(const BlasGemm& c) {
  return fmt::format(
      ": {}{} m {} n {} k {}, lda {} ldb {} ldc {}, strides {} {} {}, beta {}, entries {}{}, {}",
      c.transpose_a ? 'T' : 'N', c.transpose_b ? 'T' : 'N', c.m, c.n, c.k, c.lda, c.ldb, c.ldc,
      c.a_stride, c.b_stride, c.c_stride, c.beta, c.entries, c.row_major ? ", row-major" : "",
      mode_name(c.mode));
}

}  // namespace

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(status, call, "");
}

void check(cublasStatus_t status, const char* call, const BlasGemm& sizes) {
  if (status != CUBLAS_STATUS_SUCCESS) fail(status, call, text(sizes));
}

void check(cublasStatus_t status, const char* call, const BlasGemv& c) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail(status, call,
       fmt::format(": {} m {} n {}, lda {}, beta {}, {}", c.transpose ? 'T' : 'N', c.m, c.n, c.lda,
                   c.beta, mode_name(c.mode)));
}

int blas_size(std::size_t size) {
  if (size > INT_MAX)
    throw std::invalid_argument(fmt::format("cuBLAS takes sizes up to 2147483647, not {}", size));
  return static_cast<int>(size);
}

cublasComputeType_t compute_type(MathMode mode) {
  switch (mode) {
    case MathMode::standard:
      return CUBLAS_COMPUTE_32F;
    case MathMode::pedantic:
      return CUBLAS_COMPUTE_32F_PEDANTIC;
    case MathMode::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case MathMode::bf16x9:
#if CUBLAS_VERSION >= 120900
      return CUBLAS_COMPUTE_32F_EMULATED_16BFX9;
#endif
      break;
  }
  throw std::invalid_argument(fmt::format("cuBLAS {} has no bf16x9", CUBLAS_VERSION));
}

cublasMath_t math_mode(MathMode mode) {
  switch (mode) {
    case MathMode::standard:
      return CUBLAS_DEFAULT_MATH;
    case MathMode::pedantic:
      return CUBLAS_PEDANTIC_MATH;
    case MathMode::tf32:
      return CUBLAS_TF32_TENSOR_OP_MATH;
    case MathMode::bf16x9:
#if CUBLAS_VERSION >= 120900
      return CUBLAS_FP32_EMULATED_BF16X9_MATH;
#endif
      break;
  }
  throw std::invalid_argument(fmt::format("cuBLAS {} has no bf16x9", CUBLAS_VERSION));
}

cudaDataType data_type(Format operand) {
  switch (operand) {
    case Format::fp32:
      return CUDA_R_32F;
    case Format::fp16:
      return CUDA_R_16F;
    case Format::bf16:
      return CUDA_R_16BF;
    default:
      throw std::invalid_argument("cuBLAS takes operands of fp32, fp16 and bf16 here");
  }
}

}  // namespace ulpfuzz::kernels::cuda
