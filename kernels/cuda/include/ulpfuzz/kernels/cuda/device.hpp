#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ulpfuzz/kernels/device.hpp"

/// The first CUDA device that the process may see (CUDA_VISIBLE_DEVICES chooses). What is asked
/// below is found out once, by a forked child: CUDA does not survive fork(), so a process that
/// means to fork must not initialise it. `make_device` does.
namespace ulpfuzz::kernels::cuda {

/// Why no kernel can run here ("no CUDA-capable device is detected"); nothing if one can.
std::optional<std::string> unavailable();

/// Device, driver and libraries, and the variables that change what cuBLAS computes: "NVIDIA H200,
/// sm_90, driver 580.65.06 (CUDA 13.0), CUDA 13.0, cuBLAS 13.1.0, CUBLAS_WORKSPACE_CONFIG unset,
/// NVIDIA_TF32_OVERRIDE unset"; "no device: REASON" where there is none.
std::string environment();

/// sm_90: 90; 0 where there is no device.
int architecture();

/// Runs block programs on the device, on 8 streams that are not synchronised with the default one.
/// Device memory that is released is kept for further allocations until the destructor; release
/// what queued work uses after `synchronize` alone. Every call from the constructor on throws
/// DeviceError, sticky where the process has lost the device, which is so in a forked child of the
/// process that made it. Not for several threads at once.
std::unique_ptr<Device> make_device();

}  // namespace ulpfuzz::kernels::cuda
