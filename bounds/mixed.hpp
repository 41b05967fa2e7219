#pragma once

#include "value.hpp"

namespace ulpfuzz::bounds {

/// y may be what `other` is, element by element: both are the same exact result, as two arithmetics
/// round it. Takes the larger radius, deviation and local error of both, and what is known either
/// way of states and grids.
void take_larger(const Value& other, Value& y);

/// The same where parts of the sum y, rows of a batch, may be in either: what some parts round in
/// one and the others in the other is at most what all would round in both.
void take_both(const Value& other, Value& y);

}  // namespace ulpfuzz::bounds
