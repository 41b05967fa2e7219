#pragma once

#include <string_view>

#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {

/// "cuda" of "cuda/tiled": subjects of one kind share it. A name without '/' is its own.
std::string_view kind_of(std::string_view subject);

}  // namespace ulpfuzz
