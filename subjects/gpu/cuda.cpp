#include <fmt/format.h>

#include "../factories.hpp"
#include "gpu_subject.hpp"
#include "simt_profiles.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz {
namespace {

gpu::DeviceSource cuda_source() {
  return {.make = kernels::cuda::make_device,
          .unavailable = kernels::cuda::unavailable,
          .environment = kernels::cuda::environment,
          .architecture = kernels::cuda::architecture,
          .group = 32};
}

}  // namespace

std::vector<std::unique_ptr<const Subject>> make_cuda() {
  std::vector<std::unique_ptr<const Subject>> subjects;
  for (const gpu::SimtProfile& profile : gpu::simt_profiles())
    subjects.push_back(
        gpu::make_gpu_subject(fmt::format("cuda/{}", profile.name), profile.make(), cuda_source()));
  return subjects;
}

}  // namespace ulpfuzz
