#pragma once

#include <optional>
#include <string>

namespace ulpfuzz::kernels::cuda {

/// Why no kernel can run here ("no CUDA-capable device is detected"); nothing if one can.
std::optional<std::string> unavailable();

}  // namespace ulpfuzz::kernels::cuda
