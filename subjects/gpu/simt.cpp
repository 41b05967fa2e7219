#include <fmt/format.h>

#include "../factories.hpp"
#include "gpu_subject.hpp"
#include "simt_profiles.hpp"

namespace ulpfuzz {

std::vector<std::unique_ptr<const Subject>> make_simt() {
  std::vector<std::unique_ptr<const Subject>> subjects;
  for (const gpu::SimtProfile& profile : gpu::simt_profiles())
    subjects.push_back(gpu::make_gpu_subject(fmt::format("simt/{}", profile.name), profile.make(),
                                             gpu::host_source(profile.order)));
  return subjects;
}

}  // namespace ulpfuzz
