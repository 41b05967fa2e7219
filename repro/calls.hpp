#pragma once

#include <vector>

#include "scene.hpp"

namespace ulpfuzz::repro {

/// The elements of the call's cotangents, [entries, output size]; empty where it has none.
std::vector<float> cotangents_of(const Case& c, const Call& call);

/// The rows of an input that the call reads, [batch, cols]: padding is zeros.
std::vector<float> rows_of(const Tensor& input, const Call& call);

/// Makes the call and returns the element that is compared. Throws SubjectFault.
float evaluate(Caller& caller, const Subject& subject, const Case& c, const Call& call);

/// Calls of a path put together as the path does.
float evaluate(Caller& caller, const Subject& subject, const Case& c, const Path& path);

}  // namespace ulpfuzz::repro
