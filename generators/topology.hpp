#pragma once

#include <cstdint>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::generators {

/// What a parameter is for: decides its initialisation.
enum class Role : std::uint8_t { weight, bias, scale };
struct Purpose {
  Role role;
  std::uint32_t inputs, outputs;  ///< of the layer it belongs to
};

struct Plan {
  Network network;
  std::vector<Purpose> purposes;  ///< one a parameter
  std::uint32_t batch = 0;
};

/// A random network of all primal ops within `limits`, and a batch size that keeps the work and the
/// Jacobian within theirs: sizes are fitted as they are drawn, nothing is drawn twice.
Plan draw_plan(Source& source, const Limits& limits);

class Builder;
/// One of the steps that random networks are made of, after `x`; `x` where nothing fits.
NodeId grow(Source& source, Builder& b, NodeId x);

}  // namespace ulpfuzz::generators
