#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "gpu/blas_profile.hpp"
#include "gpu/gpu_subject.hpp"
#include "support/blas_stand_in.hpp"

namespace ulpfuzz::stand_in {

/// Stand-ins as a GPU subject's device and BLAS.
inline gpu::DeviceSource source(std::shared_ptr<Control> control) {
  return {.make = [control] { return std::make_unique<GpuStandIn>(control); },
          .unavailable = []() -> std::optional<std::string> { return std::nullopt; },
          .environment = [] { return std::string("stand-in"); },
          .architecture = [control] { return control->architecture; },
          .group = 8,
          .blas = [](kernels::Device& d) { return std::make_unique<BlasStandIn>(d); }};
}

/// A subject of `blas_profiles`, with a workspace that is quick to poison.
inline std::unique_ptr<const Subject> blas_subject(const gpu::NamedBlas& profile,
                                                   std::shared_ptr<Control> control) {
  gpu::BlasSettings settings = profile.settings;
  settings.workspace_bytes = std::size_t{1} << 16;
  return gpu::make_gpu_subject(std::string(profile.name), gpu::make_blas_profile(settings),
                               source(std::move(control)));
}

}  // namespace ulpfuzz::stand_in
