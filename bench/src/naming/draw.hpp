#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/diagnosis/hypothesis.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bench {

/// Uniform and normal numbers from a seed (splitmix64), the same on every machine.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double unit();  ///< [0, 1)
  std::uint32_t below(std::uint32_t n);
  std::uint32_t between(std::uint32_t low, std::uint32_t high) {
    return low + below(high - low + 1);
  }
  bool chance(double p) { return unit() < p; }
  double normal();

 private:
  std::uint64_t state_;
};

/// A network with its data.
struct Scenery {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<float> input;  ///< [rows, first width]
  std::size_t rows = 0;
};

/// An MLP of 1 to 4 layers, 2 to `widest` wide, for a batch of 2 to 16 rows, with weights as at the
/// start of training and normal inputs; with activations that the class can change. Of FTZ every
/// other one computes with numbers that underflow.
Scenery draw_scenery(Draw& draw, const diagnosis::Hypothesis& h, std::uint32_t widest = 32);

}  // namespace ulpfuzz::bench
