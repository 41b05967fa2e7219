#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "naming/draw.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz::bench {

/// How one path computes.
struct Side {
  const diagnosis::Hypothesis* hypothesis = nullptr;
  std::uint64_t pattern = 0;  ///< bit l: layer l; 0: fp32
  Summation summation;
  std::uint32_t partials = 4;
  bool shuffled = false;  ///< adds in a random order, another one in each layer
};

/// A drawn network, how each path computes it, and what they get.
struct Truth {
  Scenery scenery;
  Scenery shuffled;  ///< the same function: inputs and hidden units in another order
  Side a, b;
  std::vector<float> y_a, y_b;

  /// Whether plain fp32 in the same orders gives the same bits on both paths.
  bool unchanged() const;
  std::vector<float> evaluate(const Side& side) const;
  std::string describe() const;
};

/// `unknown_order`: both sums run in an order that is none of the usual ones.
Truth draw_truth(std::uint64_t seed, const diagnosis::Hypothesis& h, bool unknown_order);

bool same_bits(const std::vector<float>& a, const std::vector<float>& b);

}  // namespace ulpfuzz::bench
