#pragma once

#include <memory>

#include "ulpfuzz/kernels/blas.hpp"
#include "ulpfuzz/kernels/device.hpp"

namespace ulpfuzz::kernels::cuda {

/// cuBLAS and cuBLASLt on a device that make_device made, which must outlive it; throws
/// std::invalid_argument for another one. Atomics are not allowed to the library, alpha and beta
/// are on the host, and math mode, stream and workspace are set anew before every call.
std::unique_ptr<Blas> make_blas(Device& device);

}  // namespace ulpfuzz::kernels::cuda
