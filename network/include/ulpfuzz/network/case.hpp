#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz {

/// Some rows of the batch, in the order in which they are evaluated, then `padding` rows of zeros
/// whose results are ignored.
struct Slice {
  std::vector<std::uint32_t> rows;
  std::uint32_t padding = 0;
  bool operator==(const Slice&) const = default;
};

/// Where buffers lie: offset in floats (0..15) of inputs and outputs from a 64-byte boundary, in
/// the batched evaluation and in the slices.
struct Layout {
  std::uint8_t batch_offset = 0;
  std::uint8_t slice_offset = 0;
  bool operator==(const Layout&) const = default;
};

/// Everything one trial needs, as plain data.
///   network     one output; batch-axis inputs
///   parameters  one a parameter node, of its shape
///   inputs      one an input node: [batch, shape.size()]
///   cotangents  [batch, output size]: upstream gradients of the batch-summed gradient; may be
///               empty (0 x 0) in cases that no gradient is asked of
///   split       how the batch is cut; rows may repeat (prefixes) and need not all occur
struct Case {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<Tensor> inputs;
  Tensor cotangents;
  std::vector<Slice> split;
  Layout layout;

  std::size_t batch() const { return inputs.empty() ? 0 : inputs.front().rows; }
  const Node& output_node() const { return network.node(network.outputs().front()); }
  std::size_t output_width() const { return output_node().shape.size(); }
};

/// Throws std::invalid_argument, naming the part and what would fit, unless the parts agree: one
/// output, which depends on every input and parameter, each tensor of the shape that its node asks
/// for, all inputs of one batch size, split rows inside the batch, offsets below 16.
void validate(const Case& c);

/// Same bits everywhere.
bool identical(const Case& a, const Case& b);

/// 64-bit content hash (xxHash of the canonical binary form) as 16 hex digits: the name of a file.
std::string content_hash(const Case& c);

/// The case cut to `rows` of its batch: inputs and cotangents gathered; the split keeps these rows,
/// renumbered, and drops slices that become empty (unless they were). Of a row given twice the
/// split keeps the first. Throws std::invalid_argument for a row outside the batch.
Case select_rows(const Case& c, const std::vector<std::uint32_t>& rows);

/// The case without nodes, inputs and parameters that its output does not depend on.
Case prune(const Case& c);

/// One line: network, batch, split.
std::string describe(const Case& c);

}  // namespace ulpfuzz
