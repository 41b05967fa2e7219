#pragma once

#include <string>

#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {

std::string cpp_program(const Failure& failure, const std::string& file);

}  // namespace ulpfuzz::repro
