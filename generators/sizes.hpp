#pragma once

#include <cstdint>

#include "ulpfuzz/generators/source.hpp"

namespace ulpfuzz::generators {

/// 1..limit from a heavy-tailed mix: 1..5; tile - 1, tile, tile + 1 for tiles 4..128; uniform up to
/// 32; uniform up to the limit. 0 for limit 0.
std::uint32_t draw_size(Source& source, std::uint32_t limit);

}  // namespace ulpfuzz::generators
