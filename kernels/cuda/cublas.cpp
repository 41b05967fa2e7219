#include <cublas_v2.h>

#include <optional>
#include <stdexcept>

#include "blas_status.hpp"
#include "cublas_lt.hpp"
#include "cuda_device.hpp"
#include "ulpfuzz/kernels/cuda/blas.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

// Enough to keep any routine from failing for lack of it (16 KiB, says cublasSetWorkspace). A
// workspace for each stream of its own: with a shared pool the bits may depend on what the other
// streams do (cuBLAS, "Results reproducibility").
constexpr std::size_t own_workspace_bytes = std::size_t{1} << 16;

cublasOperation_t operation(bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; }

class CudaBlas final : public Blas {
 public:
  explicit CudaBlas(CudaDevice& device) : device_(device) {
    device_.require_own_process();
    workspaces_ =
        static_cast<std::byte*>(device_.allocate(CudaDevice::stream_count * own_workspace_bytes));
    try {
      check(cublasCreate(&handle_), "cublasCreate");
      check(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
      check(cublasSetAtomicsMode(handle_, CUBLAS_ATOMICS_NOT_ALLOWED), "cublasSetAtomicsMode");
#if CUBLAS_VERSION >= 120900  // emulate whenever possible, not where it is faster alone
      check(cublasSetEmulationStrategy(handle_, CUBLAS_EMULATION_STRATEGY_EAGER),
            "cublasSetEmulationStrategy");
#endif
      lt_.emplace();
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~CudaBlas() override { destroy(); }

  std::string environment() const override {
    int version = 0;
    check(cublasGetVersion(handle_, &version), "cublasGetVersion");
    return "cuBLAS " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
           "." + std::to_string(version % 100);
  }

  std::string unsupported(MathMode mode) const override {
    if (mode == MathMode::tf32 && device_.architecture() < 80) return "TF32 needs sm_80";
    if (mode != MathMode::bf16x9) return "";
    if (!without_bf16x9_) without_bf16x9_ = find_bf16x9();
    return *without_bf16x9_;
  }

  void gemm(const BlasGemm& call, void* workspace, std::size_t workspace_bytes) override;
  void gemv(const BlasGemv& call) override;

  std::size_t lt_algorithms(const BlasGemm& call, std::size_t workspace_bytes) override {
    device_.require_own_process();
    return lt_->algorithms(call, workspace_bytes).size();
  }
  void lt_gemm(const BlasGemm& call, std::size_t algorithm, void* workspace,
               std::size_t workspace_bytes) override {
    device_.require_own_process();
    lt_->run(call, algorithm, workspace, workspace_bytes, device_.stream());
  }

 private:
  void destroy() noexcept {
    if (device_.in_own_process()) {
      if (handle_ != nullptr) cublasDestroy(handle_);
    } else if (lt_) {
      lt_->abandon();
    }
    device_.release(workspaces_);
  }

  // The stream first: setting it takes the workspace away.
  void prepare(MathMode mode, void* workspace, std::size_t workspace_bytes) {
    device_.require_own_process();
    check(cublasSetStream(handle_, device_.stream()), "cublasSetStream");
    check(cublasSetWorkspace(handle_, workspace, workspace_bytes), "cublasSetWorkspace");
    check(cublasSetMathMode(handle_, math_mode(mode)), "cublasSetMathMode");
  }

  std::string find_bf16x9() const;
  cublasStatus_t queue(const BlasGemm& call);
  std::byte* own_workspace() const { return workspaces_ + device_.current() * own_workspace_bytes; }

  CudaDevice& device_;
  cublasHandle_t handle_ = nullptr;
  mutable std::optional<LtMatmul> lt_;
  std::byte* workspaces_ = nullptr;
  mutable std::optional<std::string> without_bf16x9_;
};

// With less than 16 KiB some routines refuse: they get so much.
void CudaBlas::gemm(const BlasGemm& call, void* workspace, std::size_t workspace_bytes) {
  if (call.row_major) throw std::invalid_argument("cublasGemmEx takes column-major matrices alone");
  if (call.m == 0 || call.n == 0 || call.entries == 0) return;
  prepare(call.mode, workspace, workspace_bytes);
  cublasStatus_t status = queue(call);
  if (status == CUBLAS_STATUS_ALLOC_FAILED && workspace_bytes < own_workspace_bytes) {
    prepare(call.mode, own_workspace(), own_workspace_bytes);
    status = queue(call);
  }
  check(status, call.entries == 1 ? "cublasGemmEx" : "cublasGemmStridedBatchedEx", call);
}

cublasStatus_t CudaBlas::queue(const BlasGemm& c) {
  const int m = blas_size(c.m), n = blas_size(c.n), k = blas_size(c.k);
  const int lda = blas_size(c.lda), ldb = blas_size(c.ldb), ldc = blas_size(c.ldc);
  const cublasOperation_t op_a = operation(c.transpose_a), op_b = operation(c.transpose_b);
  const cudaDataType type = data_type(c.operand);
  const cublasComputeType_t compute = compute_type(c.mode);
  const float alpha = 1;
  if (c.entries == 1)
    return cublasGemmEx(handle_, op_a, op_b, m, n, k, &alpha, c.a, type, lda, c.b, type, ldb,
                        &c.beta, c.c, CUDA_R_32F, ldc, compute, CUBLAS_GEMM_DEFAULT);
  return cublasGemmStridedBatchedEx(
      handle_, op_a, op_b, m, n, k, &alpha, c.a, type, lda, static_cast<long long>(c.a_stride), c.b,
      type, ldb, static_cast<long long>(c.b_stride), &c.beta, c.c, CUDA_R_32F, ldc,
      static_cast<long long>(c.c_stride), blas_size(c.entries), compute, CUBLAS_GEMM_DEFAULT);
}

void CudaBlas::gemv(const BlasGemv& c) {
  if (c.m == 0 || c.n == 0) return;
  prepare(c.mode, own_workspace(), own_workspace_bytes);
  const float alpha = 1;
  check(cublasSgemv(handle_, operation(c.transpose), blas_size(c.m), blas_size(c.n), &alpha, c.a,
                    blas_size(c.lda), c.x, 1, &c.beta, c.y, 1),
        "cublasSgemv", c);
}

// Before Blackwell cuBLAS computes in fp32 instead. A device that has no kernels for it lists none
// for a product that would profit.
std::string CudaBlas::find_bf16x9() const {
#if CUBLAS_VERSION >= 120900
  if (device_.architecture() < 100) return "bf16x9 needs sm_100";
  BlasGemm call;
  call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 1024;
  call.mode = MathMode::bf16x9;
  try {
    for (const cublasLtMatmulAlgo_t& algorithm : lt_->algorithms(call, std::size_t{32} << 20))
      if (LtMatmul::emulates(algorithm)) return "";
  } catch (const DeviceError& error) {
    if (error.sticky()) throw;
  }
  return "cuBLAS lists no bf16x9 algorithm for sm_" + std::to_string(device_.architecture());
#else
  return "bf16x9 needs cuBLAS 12.9";
#endif
}

}  // namespace

std::unique_ptr<Blas> make_blas(Device& device) {
  auto* cuda = dynamic_cast<CudaDevice*>(&device);
  if (cuda == nullptr) throw std::invalid_argument("cuBLAS needs a device that make_device made");
  return std::make_unique<CudaBlas>(*cuda);
}

}  // namespace ulpfuzz::kernels::cuda
