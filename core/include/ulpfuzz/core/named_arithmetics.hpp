#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz {

/// An arithmetic that people ask about by name, as in "would these results pass as TF32?".
struct NamedArithmetic {
  std::string_view name;
  std::string_view description;  ///< one line
  Arithmetic arithmetic;
};

/// All of them, in the order in which they should be listed: fp32 first. Those of narrow or split
/// operands let any product be plain fp32 instead (Arithmetic::mixed); those of matmul units take
/// the least accurate one that has their operands since Ampere.
std::span<const NamedArithmetic> named_arithmetics();

std::optional<Arithmetic> arithmetic_from(std::string_view name);

/// "fp32, tf32, ..."
std::string arithmetic_names();

}  // namespace ulpfuzz
