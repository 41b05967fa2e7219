#pragma once

#include <span>
#include <string_view>

/// Faults that are no matter of arithmetic: each leaves values that can be predicted.
namespace ulpfuzz::diagnosis {

struct Signature {
  std::string_view name;  ///< Match::hypothesis, the class of bench/naming
  std::string_view words, remedy;
};

/// All that `non_numeric` and the Jacobian diagnosis name.
std::span<const Signature> signatures();

/// Nothing if no signature has that name.
const Signature* signature(std::string_view name);

}  // namespace ulpfuzz::diagnosis
