#include <cstdint>

#include "cuda_stand_in.hpp"

using namespace ulpfuzz::stand_in;
using ulpfuzz::Format;
using ulpfuzz::kernels::BlasGemm;
using ulpfuzz::kernels::BlasGemv;
using ulpfuzz::kernels::MathMode;

/// A handle is what it was set to.
struct cublasContext {
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;
  std::size_t bytes = 0;
  bool own_workspace = false;  // set since the stream was
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
};

namespace {

// Device pointers would be read on the device: only host ones are known here.
float host_scalar(const void* scalar) { return *static_cast<const float*>(scalar); }

bool matches(cublasMath_t math, MathMode mode) {
  switch (mode) {
    case MathMode::standard:
      return math == CUBLAS_DEFAULT_MATH;
    case MathMode::pedantic:
      return math == CUBLAS_PEDANTIC_MATH;
    case MathMode::tf32:
      return math == CUBLAS_TF32_TENSOR_OP_MATH;
    default:
      return math == CUBLAS_FP32_EMULATED_BF16X9_MATH;
  }
}

bool known(cublasComputeType_t compute, MathMode& mode) {
  mode = compute == CUBLAS_COMPUTE_32F_PEDANTIC          ? MathMode::pedantic
         : compute == CUBLAS_COMPUTE_32F_FAST_TF32       ? MathMode::tf32
         : compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9 ? MathMode::bf16x9
                                                         : MathMode::standard;
  return mode != MathMode::standard || compute == CUBLAS_COMPUTE_32F;
}

bool known(cudaDataType type, Format& format) {
  format = type == CUDA_R_16F ? Format::fp16 : type == CUDA_R_16BF ? Format::bf16 : Format::fp32;
  return format != Format::fp32 || type == CUDA_R_32F;
}

// A stream's default workspace may be another stream's as well.
void check_workspace(cublasHandle_t handle) {
  if (!handle->own_workspace) cuda_control()->faults.push_back("cuBLAS with its default workspace");
}

cublasStatus_t gemm(cublasHandle_t handle, BlasGemm call, cudaDataType a, cudaDataType b,
                    cudaDataType c, cublasComputeType_t compute, const void* alpha) {
  if (!known(compute, call.mode) || !known(a, call.operand) || a != b || c != CUDA_R_32F ||
      host_scalar(alpha) != 1 || !matches(handle->math, call.mode))
    return CUBLAS_STATUS_INVALID_VALUE;
  check_workspace(handle);
  return blas_status([&] {
    gpu().select(index_of(handle->stream));
    gpu_blas().gemm(call, handle->workspace, handle->bytes);
  });
}

std::size_t size(long long n) { return static_cast<std::size_t>(n); }

}  // namespace

extern "C" {

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t, cublasPointerMode_t mode) {
  return mode == CUBLAS_POINTER_MODE_HOST ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t, cublasAtomicsMode_t mode) {
  return mode == CUBLAS_ATOMICS_NOT_ALLOWED ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetEmulationStrategy(cublasHandle_t, cublasEmulationStrategy_t) {
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->bytes = 0;
  handle->own_workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* workspace, std::size_t bytes) {
  handle->workspace = workspace;
  handle->bytes = bytes;
  handle->own_workspace = true;
  return reinterpret_cast<std::uintptr_t>(workspace) % 256 == 0 ? CUBLAS_STATUS_SUCCESS
                                                                : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t math) {
  handle->math = math;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetVersion(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUBLAS_VER_MAJOR
           : type == MINOR_VERSION ? CUBLAS_VER_MINOR
                                   : CUBLAS_VER_PATCH;
  return CUBLAS_STATUS_SUCCESS;
}
const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
  }
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const void* alpha, const void* a,
                            cudaDataType a_type, int lda, const void* b, cudaDataType b_type,
                            int ldb, const void* beta, void* c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm) {
  return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, 0, b,
                                    b_type, ldb, 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void* alpha, const void* a, cudaDataType a_type,
                                          int lda, long long a_stride, const void* b,
                                          cudaDataType b_type, int ldb, long long b_stride,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long c_stride, int entries,
                                          cublasComputeType_t compute, cublasGemmAlgo_t) {
  BlasGemm call;
  call.transpose_a = op_a == CUBLAS_OP_T, call.transpose_b = op_b == CUBLAS_OP_T;
  call.m = size(m), call.n = size(n), call.k = size(k);
  call.a = a, call.lda = size(lda), call.a_stride = size(a_stride);
  call.b = b, call.ldb = size(ldb), call.b_stride = size(b_stride);
  call.beta = host_scalar(beta);
  call.c = static_cast<float*>(c), call.ldc = size(ldc), call.c_stride = size(c_stride);
  call.entries = size(entries);
  return gemm(handle, call, a_type, b_type, c_type, compute, alpha);
}
cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const float* alpha, const float* a, int lda, const float* x, int x_step,
                           const float* beta, float* y, int y_step) {
  if (host_scalar(alpha) != 1 || x_step != 1 || y_step != 1) return CUBLAS_STATUS_INVALID_VALUE;
  check_workspace(handle);
  return blas_status([&] {
    gpu().select(index_of(handle->stream));
    gpu_blas().gemv({.transpose = op == CUBLAS_OP_T,
                     .m = size(m),
                     .n = size(n),
                     .a = a,
                     .lda = size(lda),
                     .x = x,
                     .beta = host_scalar(beta),
                     .y = y});
  });
}
}  // extern "C"
