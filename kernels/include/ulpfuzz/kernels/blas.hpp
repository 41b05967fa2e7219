#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ulpfuzz/core/format.hpp"

namespace ulpfuzz::kernels {

/// How a BLAS may compute, in cuBLAS' terms.
enum class MathMode : std::uint8_t {
  standard,  ///< CUBLAS_DEFAULT_MATH, CUBLAS_COMPUTE_32F
  pedantic,  ///< CUBLAS_PEDANTIC_MATH, CUBLAS_COMPUTE_32F_PEDANTIC
  tf32,      ///< CUBLAS_TF32_TENSOR_OP_MATH, CUBLAS_COMPUTE_32F_FAST_TF32
  bf16x9     ///< CUBLAS_FP32_EMULATED_BF16X9_MATH, CUBLAS_COMPUTE_32F_EMULATED_16BFX9
};

/// C = op(A) op(B) + beta C, `entries` times, with matrices as BLAS has them: column-major, with
/// leading dimensions; `row_major` (of Lt calls alone): all three row-major. op(A) m x k, op(B) k x
/// n. Elements of A and B are of format `operand` (fp32, or fp16 or bf16: two bytes each), of C
/// fp32. Strides count elements from entry to entry.
struct BlasGemm {
  bool row_major = false;
  bool transpose_a = false, transpose_b = false;
  std::size_t m = 0, n = 0, k = 0;
  const void* a = nullptr;
  std::size_t lda = 1, a_stride = 0;
  const void* b = nullptr;
  std::size_t ldb = 1, b_stride = 0;
  float beta = 0;
  float* c = nullptr;
  std::size_t ldc = 1, c_stride = 0;
  std::size_t entries = 1;
  Format operand = Format::fp32;
  MathMode mode = MathMode::standard;
};

/// y = op(A) x + beta y, A m x n column-major, fp32.
struct BlasGemv {
  bool transpose = false;
  std::size_t m = 0, n = 0;
  const float* a = nullptr;
  std::size_t lda = 1;
  const float* x = nullptr;
  float beta = 0;
  float* y = nullptr;
  MathMode mode = MathMode::standard;
};

/// A cuBLAS-like library on a device's memory. Calls are queued on the device's current stream.
/// All throw DeviceError with the call and its status.
class Blas {
 public:
  virtual ~Blas() = default;

  /// "cuBLAS 13.1.0"
  virtual std::string environment() const = 0;
  /// Why the library or the device does not offer a mode; empty if it does.
  virtual std::string unsupported(MathMode mode) const = 0;

  /// cublasGemmEx, or its strided batched form where entries > 1. `workspace` is the library's for
  /// the call: cublasSetWorkspace; null with 0 bytes for none.
  virtual void gemm(const BlasGemm& call, void* workspace, std::size_t workspace_bytes) = 0;
  virtual void gemv(const BlasGemv& call) = 0;

  /// cublasLt: how many algorithms its heuristic lists for the call with so much workspace.
  virtual std::size_t lt_algorithms(const BlasGemm& call, std::size_t workspace_bytes) = 0;
  /// cublasLtMatmul with one of them.
  virtual void lt_gemm(const BlasGemm& call, std::size_t algorithm, void* workspace,
                       std::size_t workspace_bytes) = 0;
};

}  // namespace ulpfuzz::kernels
