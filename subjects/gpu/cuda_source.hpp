#pragma once

#include "gpu_subject.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz::gpu {

/// A CUDA device, without a BLAS.
inline DeviceSource cuda_source() {
  return {.make = kernels::cuda::make_device,
          .unavailable = kernels::cuda::unavailable,
          .environment = kernels::cuda::environment,
          .architecture = kernels::cuda::architecture,
          .group = 32};
}

}  // namespace ulpfuzz::gpu
