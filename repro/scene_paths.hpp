#pragma once

#include <string_view>
#include <vector>

#include "place.hpp"
#include "scene.hpp"

namespace ulpfuzz::repro {

/// The paths that `words` of a verdict may mean: several where a row is in several slices.
/// `derived` of gradients.
std::vector<Path> readings(const Case& c, const DerivedNetworks* derived, const Place& place,
                           std::string_view words);

/// A path for each call that the property makes, the largest first.
std::vector<Path> all_calls(const Case& c, const DerivedNetworks* derived);

}  // namespace ulpfuzz::repro
