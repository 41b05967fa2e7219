#pragma once

#include "model.hpp"
#include "ulpfuzz/network/op.hpp"
#include "value.hpp"

namespace ulpfuzz::bounds {

/// What is bounded of an activation phi: phi(x) or phi'(x).
enum class Part { value, slope };

/// For tanh, sigmoid, silu, gelu_erf, gelu_tanh and softplus.
void smooth_rule(Op phi, Part part, const Value& x, Value& y, const Model& m);

}  // namespace ulpfuzz::bounds
