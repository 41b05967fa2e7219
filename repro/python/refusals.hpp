#pragma once

#include <string_view>

#include "../scene.hpp"
#include "ulpfuzz/network/op.hpp"

namespace ulpfuzz::repro {

/// Throws std::invalid_argument: the library has no such op.
[[noreturn]] void refuse_op(Op op, std::string_view library);

/// Throws std::invalid_argument, naming a language that would fit, for what Python cannot look at:
/// memory that was not written or lies behind an output, the floating-point environment, calls that
/// do not return; and for more numbers than a program may hold.
void check_python_can_show(const Scene& scene);

}  // namespace ulpfuzz::repro
