#pragma once

#include <string>
#include <string_view>

namespace ulpfuzz {

/// What to write instead of a word that names no op: "write leaky_relu" for LeakyReLU.
std::string op_remedy(std::string_view word);

}  // namespace ulpfuzz
