#pragma once

#include <array>
#include <string>

#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz {

/// "[3,4]"
std::string to_string(Shape shape);

/// Number of operands an op takes, at least and at most.
struct Arity {
  std::uint8_t least, most;
};
Arity arity(Op op);

/// `node` with the attributes that its op does not read at their defaults, so that equal meaning is
/// equal value.
Node normalized(const Node& node);

/// Sets shape and axis of `node` from those of its operands. Throws std::invalid_argument, naming
/// the op, the shapes and what would fit. `args` are the operands; `repeat` is the network's.
void infer(Node& node, const std::array<const Node*, 3>& args, std::uint32_t repeat);

/// Throws unless one-hot tangents (basis, unit_tangents) of this shape fit `repeat`.
void check_repeat(const Node& node, const std::array<const Node*, 3>& args, std::uint32_t repeat);

/// Ops that only derivative networks have.
bool is_derivative_op(Op op);

}  // namespace ulpfuzz
