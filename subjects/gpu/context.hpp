#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu_plan.hpp"
#include "memory.hpp"
#include "profile.hpp"

namespace ulpfuzz::gpu {

/// A device, its BLAS if any, and what evaluations on it reuse. For one thread at a time, in the
/// process that made it.
class Context {
 public:
  Context(std::unique_ptr<kernels::Device> device, std::unique_ptr<kernels::Blas> blas);

  /// Evaluates all and waits once. Where it throws, nothing is left queued.
  void run(std::string_view subject, const Profile& profile,
           std::span<const Evaluation> evaluations);

 private:
  void lay_out(std::span<const Evaluation> evaluations);
  void queue(const Profile& profile, std::span<const Evaluation> evaluations);

  std::unique_ptr<kernels::Device> device_;
  std::unique_ptr<kernels::Blas> blas_;
  Memory memory_;
  Work work_;
  Regions regions_;
  std::vector<GpuPlan> plans_;
  std::vector<float> in_, out_;  ///< on the host: what is uploaded and downloaded
  const float* out_base_ = nullptr;
};

}  // namespace ulpfuzz::gpu
