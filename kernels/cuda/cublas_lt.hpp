#pragma once

#include <cublasLt.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "ulpfuzz/kernels/blas.hpp"

namespace ulpfuzz::kernels::cuda {

/// cublasLtMatmul with all algorithms that its heuristic lists. All throw DeviceError.
class LtMatmul {
 public:
  using Algorithms = std::vector<cublasLtMatmulAlgo_t>;

  LtMatmul();
  ~LtMatmul();
  LtMatmul(const LtMatmul&) = delete;
  LtMatmul& operator=(const LtMatmul&) = delete;

  /// Fastest first by its estimate, at most 32; none for what it does not support. Valid until the
  /// next call.
  const Algorithms& algorithms(const BlasGemm& call, std::size_t workspace_bytes);
  /// std::invalid_argument for an algorithm that is not listed.
  void run(const BlasGemm& call, std::size_t algorithm, void* workspace,
           std::size_t workspace_bytes, cudaStream_t stream);
  /// Whether it does the work of fp32 by bf16x9.
  static bool emulates(const cublasLtMatmulAlgo_t& algorithm);
  /// Forgets the handle: that of another process.
  void abandon() noexcept { handle_ = nullptr; }

 private:
  /// All that the heuristic sees of a call.
  using Key = std::array<std::size_t, 18>;
  static Key key(const BlasGemm& call, std::size_t workspace_bytes);

  cublasLtHandle_t handle_ = nullptr;
  std::map<Key, Algorithms> known_;
};

}  // namespace ulpfuzz::kernels::cuda
