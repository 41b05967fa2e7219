#pragma once

#include <string>

#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {

/// program() in Python: see there.
std::string torch_program(const Failure& failure, const std::string& file);
std::string jax_program(const Failure& failure, const std::string& file);
std::string numpy_program(const Failure& failure, const std::string& file);

}  // namespace ulpfuzz::repro
