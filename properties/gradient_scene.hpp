#pragma once

#include "cause.hpp"
#include "gradient.hpp"

namespace ulpfuzz::properties {

/// What a reverse schedule gave for the place's row and output, all blocks, and for as many others
/// as a diagnosis can afford. Trial and paths must outlive each scene.
Scene reverse_scene(const GradientTrial& t, const Jacobian& j, const Place& place);
/// What the forward schedule gave for the place's block, row by row.
Scene forward_scene(const GradientTrial& t, const Jacobian& j, const Place& place);
/// The batch-summed gradients of all rows or of a micro-batch.
Scene summed_scene(const GradientTrial& t, const BatchSum& sum);

}  // namespace ulpfuzz::properties
