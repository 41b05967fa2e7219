#pragma once

#include <optional>

#include "answers.hpp"
#include "ladder.hpp"

namespace ulpfuzz::shrinking {

/// Of the edits of `failing` that are known to pass, the one that changes least: in the batch rows
/// if there is one, else the features, the split, the nodes, the numbers. Nothing is judged.
std::optional<Neighbour> nearest_passing(const Answers& answers, const Ranked& failing,
                                         const generators::Focus& focus);

}  // namespace ulpfuzz::shrinking
