#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boundary_asker.hpp"
#include "ulpfuzz/shrink/dissect.hpp"

namespace ulpfuzz::shrinking {

std::vector<LayerShare> layer_shares(Asker& asker);
std::vector<Component> components(Asker& asker);

/// Has it a dimension of size 0, or no op? That such a case passes tells nobody anything.
bool hollow(const Case& c);
/// A passing case next to the failing one: of one row or feature less or more if there is such;
/// else `known`, or that of another edit, unless it is hollow.
std::optional<Neighbour> nearest_neighbour(Asker& asker, const std::optional<Neighbour>& known);
/// "batch 8 instead of 9", "inner dimension of linear 2: 32 instead of 33"; empty if no size
/// differs.
std::string other_sizes(const Case& failing, const Case& passing);

std::string label(const Network& network, NodeId id);

}  // namespace ulpfuzz::shrinking
