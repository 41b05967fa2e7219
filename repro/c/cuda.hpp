#pragma once

#include <string>

#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {

/// Without a CUDA device the program says so and ends with 77.
std::string cuda_program(const Failure& failure, const std::string& file);

}  // namespace ulpfuzz::repro
