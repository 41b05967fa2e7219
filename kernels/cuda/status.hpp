#pragma once

#include <cuda_runtime_api.h>

#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::kernels::cuda {

/// After `status` the process cannot use the device any more: errors of which CUDA says that the
/// process must be terminated, and whatever leaves a device that answers nothing else.
bool loses_device(cudaError_t status);

/// Throws DeviceError "CALL: NAME: CUDA's text" unless `status` is success. The runtime forgets an
/// error that is not sticky, so that later calls do not report it again.
void check(cudaError_t status, const char* call);

}  // namespace ulpfuzz::kernels::cuda
