#pragma once

#include <memory>
#include <vector>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// One factory a built-in subject; registry.cpp lists them.
std::unique_ptr<const Subject> make_reference_fp64();
std::unique_ptr<const Subject> make_reference_dd();
std::unique_ptr<const Subject> make_loops();
std::unique_ptr<const Subject> make_openblas();
std::unique_ptr<const Subject> make_eigen();
/// simt/...: kernels of GPUs, on the host.
std::vector<std::unique_ptr<const Subject>> make_simt();
/// cuda/...: the same kernels on a CUDA device.
std::vector<std::unique_ptr<const Subject>> make_cuda();
/// cublas/... and cublaslt/...: on a GPU, where CUDA is built in.
std::vector<std::unique_ptr<const Subject>> make_cublas();

}  // namespace ulpfuzz
