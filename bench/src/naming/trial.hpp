#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ulpfuzz/diagnosis/hypothesis.hpp"

namespace ulpfuzz::bench {

/// What `explain` is shown: both results; their difference; or both results, added up in an order
/// that the diagnosis does not try. Then its prediction is never exact, and right is a first answer
/// that names the right conversions in the right layers.
enum class Shown : std::uint8_t { both, difference, unknown_order };

struct Outcome {
  bool right = false;      ///< the set holds the true class, and nothing that predicts other bits
  bool strict = false;     ///< right, and all of it predicts the same in the order used
  bool unchanged = false;  ///< the class changes no bit here
  std::size_t named = 0;   ///< matches in the set
  std::string first;       ///< hypothesis of the first match; empty: none
  std::string fault;       ///< why it is not right
  double seconds = 0;      ///< that `explain` took
};

/// Draws a network, computes it on one or both sides as the class says in a random pattern of
/// layers, and asks for the cause.
Outcome naming_trial(std::uint64_t seed, const diagnosis::Hypothesis& h, Shown shown);

/// The same of a fault that is no matter of arithmetic (plantable()): the outputs of one path, or
/// its Jacobians, are what that fault makes of them. Right: the set holds it.
Outcome planted_trial(std::uint64_t seed, std::string_view name);

}  // namespace ulpfuzz::bench
