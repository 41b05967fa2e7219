#include <cublasLt.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cuda_stand_in.hpp"

using namespace ulpfuzz::stand_in;
using ulpfuzz::Format;
using ulpfuzz::kernels::BlasGemm;
using ulpfuzz::kernels::MathMode;

namespace {

struct Layout {
  cudaDataType type;
  std::uint64_t rows, columns;
  std::int64_t ld;
  std::int32_t order = CUBLASLT_ORDER_COL, batch = 1;
  std::int64_t stride = 0;
};
struct Operation {
  cublasComputeType_t compute;
  std::int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
};
struct Preference {
  std::uint64_t workspace = 0;
  std::uint32_t a = 256, b = 256, c = 256, d = 256;  // alignments, as documented
};

const Layout& of(cublasLtMatrixLayout_t layout) { return *reinterpret_cast<Layout*>(layout); }
const Operation& of(cublasLtMatmulDesc_t operation) {
  return *reinterpret_cast<Operation*>(operation);
}
const Preference& of(cublasLtMatmulPreference_t preference) {
  return *reinterpret_cast<Preference*>(preference);
}

template <class T>
cublasStatus_t set(T& to, const void* from, std::size_t bytes) {
  if (bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, from, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

MathMode mode_of(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32F_PEDANTIC          ? MathMode::pedantic
         : compute == CUBLAS_COMPUTE_32F_FAST_TF32       ? MathMode::tf32
         : compute == CUBLAS_COMPUTE_32F_EMULATED_16BFX9 ? MathMode::bf16x9
                                                         : MathMode::standard;
}

// Layouts that do not fit each other are refused.
bool describe(cublasLtMatmulDesc_t operation, cublasLtMatrixLayout_t a_layout,
              cublasLtMatrixLayout_t b_layout, cublasLtMatrixLayout_t c_layout, BlasGemm& call) {
  const Layout &a = of(a_layout), &b = of(b_layout), &c = of(c_layout);
  call.row_major = c.order == CUBLASLT_ORDER_ROW;
  call.transpose_a = of(operation).transpose_a == CUBLAS_OP_T;
  call.transpose_b = of(operation).transpose_b == CUBLAS_OP_T;
  call.m = c.rows, call.n = c.columns;
  call.k = call.transpose_a ? a.rows : a.columns;
  call.lda = static_cast<std::size_t>(a.ld), call.a_stride = static_cast<std::size_t>(a.stride);
  call.ldb = static_cast<std::size_t>(b.ld), call.b_stride = static_cast<std::size_t>(b.stride);
  call.ldc = static_cast<std::size_t>(c.ld), call.c_stride = static_cast<std::size_t>(c.stride);
  call.entries = static_cast<std::size_t>(c.batch);
  call.operand = a.type == CUDA_R_16F    ? Format::fp16
                 : a.type == CUDA_R_16BF ? Format::bf16
                                         : Format::fp32;
  call.mode = mode_of(of(operation).compute);
  const bool orders = a.order == c.order && b.order == c.order;
  const bool batches = a.batch == c.batch && b.batch == c.batch;
  const bool types = a.type == b.type && c.type == CUDA_R_32F;
  return orders && batches && types && (call.transpose_a ? a.columns : a.rows) == call.m &&
         (call.transpose_b ? b.rows : b.columns) == call.n &&
         (call.transpose_b ? b.columns : b.rows) == call.k;
}

// An address of which nothing is known but its alignment.
template <class T>
T* aligned_to(std::uint32_t bytes) {
  return reinterpret_cast<T*>(std::uintptr_t{bytes});
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t ld) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, columns, ld});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  delete reinterpret_cast<Layout*>(layout);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  auto& to = *reinterpret_cast<Layout*>(layout);
  switch (attribute) {
    case CUBLASLT_MATRIX_LAYOUT_ORDER:
      return set(to.order, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT:
      return set(to.batch, value, bytes);
    case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET:
      return set(to.stride, value, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation,
                                        cublasComputeType_t compute, cudaDataType scale) {
  *operation = reinterpret_cast<cublasLtMatmulDesc_t>(new Operation{compute});
  return scale == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  delete reinterpret_cast<Operation*>(operation);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  auto& to = *reinterpret_cast<Operation*>(operation);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(to.transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(to.transpose_b, value, bytes);
    default:
      return CUBLAS_STATUS_SUCCESS;
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete reinterpret_cast<Preference*>(preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  auto& to = *reinterpret_cast<Preference*>(preference);
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(to.workspace, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set(to.a, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set(to.b, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set(to.c, value, bytes);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(to.d, value, bytes);
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int most,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  *found = 0;
  BlasGemm call;
  if (d != c || !describe(operation, a, b, c, call)) return CUBLAS_STATUS_INVALID_VALUE;
  const Preference& wanted = of(preference);
  call.a = aligned_to<const void>(wanted.a);
  call.b = aligned_to<const void>(wanted.b);
  call.c = aligned_to<float>(std::min(wanted.c, wanted.d));
  return blas_status([&] {
    const std::size_t count = gpu_blas().lt_algorithms(call, wanted.workspace);
    for (; *found < most && static_cast<std::size_t>(*found) < count; ++*found) {
      results[*found] = {};
      results[*found].algo.data[0] = static_cast<std::uint64_t>(*found);
    }
  });
}
cublasStatus_t cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t*,
                                                 cublasLtMatmulAlgoCapAttributes_t, void* value,
                                                 std::size_t bytes, std::size_t*) {
  const std::int32_t emulates = cuda_control()->architecture >= 100;
  std::memcpy(value, &emulates, std::min(bytes, sizeof(emulates)));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t c_layout, void* d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t bytes, cudaStream_t stream) {
  BlasGemm call;
  if (d != c || d_layout != c_layout || *static_cast<const float*>(alpha) != 1 ||
      !describe(operation, a_layout, b_layout, c_layout, call))
    return CUBLAS_STATUS_INVALID_VALUE;
  call.a = a;
  call.b = b;
  call.beta = *static_cast<const float*>(beta);
  call.c = static_cast<float*>(d);
  return blas_status([&] {
    gpu().select(index_of(stream));
    gpu_blas().lt_gemm(call, algorithm->data[0], workspace, bytes);
  });
}

#if CUBLAS_VERSION >= 130100
cublasStatus_t cublasLtEmulationDescCreate(cublasLtEmulationDesc_t* description) {
  *description = reinterpret_cast<cublasLtEmulationDesc_t>(new int);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtEmulationDescDestroy(cublasLtEmulationDesc_t description) {
  delete reinterpret_cast<int*>(description);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtEmulationDescSetAttribute(cublasLtEmulationDesc_t,
                                                 cublasLtEmulationDescAttributes_t, const void*,
                                                 std::size_t) {
  return CUBLAS_STATUS_SUCCESS;
}
#endif
}  // extern "C"
