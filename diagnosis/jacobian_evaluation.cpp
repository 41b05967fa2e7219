#include "jacobian_evaluation.hpp"

#include <algorithm>

#include "ulpfuzz/core/fp_environment.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::diagnosis {
namespace {

Network evaluated(const Network& forward, Quantity quantity) {
  if (quantity == Quantity::outputs) return forward;
  const std::size_t width = forward.at(forward.outputs().at(0)).shape.size();
  return vjp(forward, static_cast<std::uint32_t>(width));
}

std::vector<float> unit_cotangents(std::size_t rows, std::size_t n) {
  std::vector<float> all(rows * n * n, 0.0f);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) all[(r * n + i) * n + i] = 1.0f;
  return all;
}

}  // namespace

QuantityEvaluator::QuantityEvaluator(const Network& forward, std::span<const Tensor> parameters,
                                     Quantity quantity)
    : QuantityEvaluator(forward, evaluated(forward, quantity), parameters, quantity) {}

QuantityEvaluator::QuantityEvaluator(const Network& forward, Network derivative,
                                     std::span<const Tensor> parameters, Quantity quantity)
    : network_(std::move(derivative)),
      parameters_(parameters),
      layout_(layout_of(forward, quantity, 1)) {}

std::vector<float> QuantityEvaluator::evaluate(const Subject& subject,
                                               std::span<const float* const> inputs,
                                               std::size_t rows,
                                               std::span<const float* const> more) const {
  const FpGuard guard;
  std::vector<const float*> all(inputs.begin(), inputs.end());
  std::vector<float> cotangents;
  if (layout_.quantity != Quantity::outputs) {
    cotangents = unit_cotangents(rows, layout_.outputs);
    all.push_back(cotangents.data());
  }
  all.insert(all.end(), more.begin(), more.end());
  std::vector<std::vector<float>> values;
  std::vector<float*> out;
  for (const NodeId id : network_.outputs()) {
    const Node& node = network_.node(id);
    values.emplace_back(network_.entries(node, rows) * node.shape.size());
    out.push_back(values.back().data());
  }
  subject.evaluate({network_, parameters_, rows, all, out});
  if (layout_.quantity == Quantity::outputs) return std::move(values.front());
  std::vector<float> result(rows * layout_.row_size());
  for (const Layout::Block& block : layout_.blocks) {
    const std::size_t size = block.shape.size();
    const float* from = values[block.gradient].data();
    for (std::size_t e = 0; e < rows * layout_.outputs; ++e, from += size)
      std::copy_n(from, size, result.data() + e * layout_.elements + block.first);
  }
  return result;
}

}  // namespace ulpfuzz::diagnosis
