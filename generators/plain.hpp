#pragma once

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

/// Limits::Kind::plain.
Case draw_plain(Source& source, const Limits& limits);

}  // namespace ulpfuzz::generators
