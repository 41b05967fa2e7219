#pragma once

#include <string>
#include <vector>

#include "support/gpu_stand_in.hpp"
#include "ulpfuzz/kernels/blas.hpp"

namespace ulpfuzz::stand_in {

/// cuBLAS' rules on the memory of a GpuStandIn: leading dimensions, alignments, workspaces and
/// modes are checked at the call (CUBLAS_STATUS_...), addresses when the work is done. Of empty
/// products it does what cuBLAS does; Lt refuses them.
class BlasStandIn final : public kernels::Blas {
 public:
  /// `device` must be a GpuStandIn.
  explicit BlasStandIn(kernels::Device& device);

  std::string environment() const override { return "stand-in for cuBLAS"; }
  std::string unsupported(kernels::MathMode mode) const override;
  void gemm(const kernels::BlasGemm& call, void* workspace, std::size_t bytes) override;
  void gemv(const kernels::BlasGemv& call) override;
  std::size_t lt_algorithms(const kernels::BlasGemm& call, std::size_t bytes) override;
  void lt_gemm(const kernels::BlasGemm& call, std::size_t algorithm, void* workspace,
               std::size_t bytes) override;

 private:
  void check_mode(const kernels::BlasGemm& call) const;

  GpuStandIn& device_;
};

}  // namespace ulpfuzz::stand_in
