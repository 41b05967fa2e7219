#include <fmt/format.h>

#include <algorithm>

#include "jacobian.hpp"

namespace ulpfuzz::diagnosis {

const Layout::Block& Layout::block_of(std::size_t element) const {
  const auto after = std::upper_bound(blocks.begin(), blocks.end(), element,
                                      [](std::size_t e, const Block& b) { return e < b.first; });
  return *std::prev(after);
}

std::string Layout::where(std::size_t index) const {
  const std::size_t row = index / row_size();
  const std::size_t output = index / elements % outputs;
  if (quantity == Quantity::outputs) return fmt::format("row {}, output {}", row, output);
  const std::size_t element = index % elements;
  const Block& block = block_of(element);
  const std::size_t at = element - block.first;
  return fmt::format("row {}, d output {} / d {}[{}][{}]", row, output, block.name,
                     at / block.shape.cols, at % block.shape.cols);
}

Layout layout_of(const Network& network, Quantity quantity, std::size_t rows) {
  Layout layout;
  layout.quantity = quantity;
  layout.rows = rows;
  layout.outputs = network.at(network.outputs().at(0)).shape.size();
  if (quantity == Quantity::outputs) {
    layout.blocks.push_back({"output", Shape{1, 1}, 0, 0});
    return layout;
  }
  const bool of_inputs = quantity == Quantity::input_jacobian;
  const std::vector<NodeId>& nodes = of_inputs ? network.inputs() : network.parameters();
  const std::size_t before = of_inputs ? 0 : network.inputs().size();
  layout.elements = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Shape shape = network.node(nodes[i]).shape;
    if (shape.size() == 0) continue;
    layout.blocks.push_back({fmt::format("{} {}", of_inputs ? "input" : "parameter", i), shape,
                             layout.elements, before + i});
    layout.elements += shape.size();
  }
  return layout;
}

std::vector<const float*> row_inputs(const Network& network, std::span<const float* const> inputs,
                                     std::size_t row) {
  std::vector<const float*> at(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] += row * network.node(network.inputs()[i]).shape.size();
  return at;
}

}  // namespace ulpfuzz::diagnosis
