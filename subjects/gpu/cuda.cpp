#include <fmt/format.h>

#include "../factories.hpp"
#include "cuda_source.hpp"
#include "simt_profiles.hpp"

namespace ulpfuzz {
std::vector<std::unique_ptr<const Subject>> make_cuda() {
  std::vector<std::unique_ptr<const Subject>> subjects;
  for (const gpu::SimtProfile& profile : gpu::simt_profiles())
    subjects.push_back(gpu::make_gpu_subject(fmt::format("cuda/{}", profile.name), profile.make(),
                                             gpu::cuda_source()));
  return subjects;
}

}  // namespace ulpfuzz
