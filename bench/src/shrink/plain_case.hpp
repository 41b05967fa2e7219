#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::bench {

/// A case as somebody writes it down who draws it by RapidCheck's generators of lists and numbers:
/// each part can be changed without a thought for the others, and make() fits them together again.
struct PlainCase {
  struct Layer {
    NodeId id = 0;  ///< in `origin`
  };
  const Case* origin = nullptr;
  std::vector<Layer> layers;  ///< without parameters, which come with their users
  std::vector<std::uint32_t>
      widths;  ///< of each node of `origin`: columns of an input, rows of a parameter
  std::uint32_t batch = 0;
  std::vector<Slice> split;
  std::vector<std::uint32_t> offsets;  ///< batch, slices
  std::vector<Tensor> numbers;         ///< parameters, inputs, cotangents of `origin`
};

PlainCase plain_case(const Case& c);

/// Users of a layer that is gone read its first operand. Weights and biases take the shapes that
/// their users need; tensors keep the corner of their numbers that still exists. Nothing if the
/// parts cannot be fitted together.
std::optional<Case> make(const PlainCase& plain);

}  // namespace ulpfuzz::bench
