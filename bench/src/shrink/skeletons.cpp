#include "shrink/skeletons.hpp"

#include <numeric>
#include <utility>

namespace ulpfuzz::bench::skeletons {
namespace {

Case finish(Network network, NodeId output, std::uint32_t batch, std::uint32_t row) {
  network.output(output);
  Case c;
  for (const NodeId p : network.parameters()) {
    const Shape shape = network.node(p).shape;
    c.parameters.emplace_back(shape.rows, shape.cols);
  }
  for (const NodeId i : network.inputs())
    c.inputs.emplace_back(batch, static_cast<std::uint32_t>(network.node(i).shape.size()));
  c.network = std::move(network);
  c.split = {{{row}, 0}};
  return c;
}

}  // namespace

Case input(std::uint32_t batch, std::uint32_t width) {
  Network network;
  const NodeId x = network.input(width);
  return finish(std::move(network), x, batch, 0);
}

Case activation(Op op, std::uint32_t batch, std::uint32_t row) {
  Network network;
  const NodeId x = network.input(1);
  const NodeId y = network.activation(op, x);
  return finish(std::move(network), y, batch, row);
}

Case linear(std::uint32_t batch, std::uint32_t k, std::uint32_t n, std::uint32_t row) {
  Network network;
  const NodeId x = network.input(k);
  const NodeId weight = network.parameter(n, k);
  const NodeId y = network.linear(x, weight);
  return finish(std::move(network), y, batch, row);
}

Case linear_with_bias(std::uint32_t batch, std::uint32_t k, std::uint32_t n, std::uint32_t row) {
  Network network;
  const NodeId x = network.input(k);
  const NodeId weight = network.parameter(n, k);
  const NodeId bias = network.parameter(1, n);
  const NodeId y = network.linear(x, weight, bias);
  return finish(std::move(network), y, batch, row);
}

Case weight_is_bias(std::uint32_t batch) {
  Network network;
  const NodeId x = network.input(1);
  const NodeId p = network.parameter(1, 1);
  const NodeId y = network.linear(x, p, p);
  return finish(std::move(network), y, batch, 0);
}

Case with_cotangents(Case c) {
  c.cotangents =
      Tensor(static_cast<std::uint32_t>(c.batch()), static_cast<std::uint32_t>(c.output_width()));
  c.split.front().rows.resize(c.batch());
  std::iota(c.split.front().rows.begin(), c.split.front().rows.end(), 0u);
  return c;
}

}  // namespace ulpfuzz::bench::skeletons
