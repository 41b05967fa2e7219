#include <fmt/format.h>

#include "../factories.hpp"
#include "blas_profile.hpp"
#include "cuda_source.hpp"
#include "gpu_subject.hpp"
#include "ulpfuzz/kernels/cuda/blas.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz {
namespace {

// What is known of a mode before there is a device, which a process that forks must not make.
std::optional<std::string> unavailable(const gpu::BlasSettings& settings) {
  if (auto reason = kernels::cuda::unavailable()) return reason;
  const int architecture = kernels::cuda::architecture();
  const auto needs = [&](const char* what, const char* which) {
    return fmt::format("cuBLAS offers {} on {}, not on sm_{}", what, which, architecture);
  };
  if (settings.mode == kernels::MathMode::tf32 && architecture < 80)
    return needs("TF32", "sm_80 and later");
  if (settings.operand == Format::bf16 && architecture < 80)
    return needs("bf16", "sm_80 and later");
  if (settings.mode == kernels::MathMode::bf16x9 && architecture != 100 && architecture != 103)
    return needs("bf16x9", "sm_100 and sm_103");
  return std::nullopt;
}

gpu::DeviceSource source_of(const gpu::BlasSettings& settings) {
  gpu::DeviceSource source = gpu::cuda_source();
  source.unavailable = [settings] { return unavailable(settings); };
  source.blas = kernels::cuda::make_blas;
  return source;
}

}  // namespace

std::vector<std::unique_ptr<const Subject>> make_cublas() {
  std::vector<std::unique_ptr<const Subject>> subjects;
  for (const gpu::NamedBlas& profile : gpu::blas_profiles())
    subjects.push_back(gpu::make_gpu_subject(std::string(profile.name),
                                             gpu::make_blas_profile(profile.settings),
                                             source_of(profile.settings)));
  return subjects;
}

}  // namespace ulpfuzz
