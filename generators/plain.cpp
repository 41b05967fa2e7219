#include "plain.hpp"

#include <algorithm>
#include <cmath>

#include "split.hpp"
#include "values.hpp"

namespace ulpfuzz::generators {
namespace {

std::uint32_t uniform(Source& source, std::uint32_t most, std::uint32_t limit) {
  return 1 + static_cast<std::uint32_t>(source.below(std::max(std::min(most, limit), 1u)));
}

void add_linear(Case& c, NodeId& x, std::uint32_t cols, Words& words) {
  const std::uint32_t inputs = c.network.node(x).shape.cols;
  const NodeId weight = c.network.parameter(cols, inputs);
  x = c.network.linear(x, weight, c.network.parameter(1, cols));
  const float bound = 1 / std::sqrt(static_cast<float>(inputs));
  fill_uniform(c.parameters.emplace_back(cols, inputs).data, bound, words);
  fill_uniform(c.parameters.emplace_back(1, cols).data, bound, words);
}

}  // namespace

Limits plain_limits(bool gradient) {
  Limits limits;
  limits.kind = Limits::Kind::plain;
  limits.depth = 4;
  limits.width = 32;
  limits.batch = gradient ? 8 : 64;
  if (gradient) limits.jacobian = 2'000'000;  // more than any plain case has
  return limits;
}

Case draw_plain(Source& source, const Limits& limits) {
  constexpr Op activations[]{Op::relu, Op::tanh, Op::sigmoid};
  const Limits most = plain_limits(false);
  Case c;
  const std::uint32_t depth = uniform(source, most.depth, limits.depth);
  const std::uint32_t batch = uniform(source, most.batch, limits.batch);
  const std::uint32_t inputs = uniform(source, most.width, limits.width);
  const Op between = activations[source.below(3)];
  Words words(source.next());
  c.parameters.reserve(2 * depth);
  NodeId x = c.network.input(inputs);
  for (std::uint32_t i = 0; i < depth; ++i) {
    if (i > 0) x = c.network.activation(between, x);
    add_linear(c, x, uniform(source, most.width, limits.width), words);
  }
  c.network.output(x);
  fill_normal(c.inputs.emplace_back(batch, inputs).data, 1, words);
  if (limits.jacobian > 0) {
    c.cotangents = Tensor(batch, static_cast<std::uint32_t>(c.output_width()));
    fill_normal(c.cotangents.data, 1, words);
  }
  c.split = cut(source, batch, static_cast<std::uint32_t>(source.below(7)));
  return c;
}

}  // namespace ulpfuzz::generators
