#include "naming/truth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine.hpp"
#include "ulpfuzz/core/fp_environment.hpp"

namespace ulpfuzz::bench {
namespace {

using Order = Summation::Order;

Summation draw_summation(Draw& draw) {
  constexpr std::uint32_t lanes[] = {4, 8, 16, 32};
  constexpr Order kinds[] = {Order::sequential, Order::reversed, Order::pairwise, Order::lanes,
                             Order::lanes,      Order::lanes,    Order::lanes};
  Summation s;
  const std::uint32_t kind = draw.below(7);
  s.order = kinds[kind];
  if (kind > 2) s.lanes = lanes[kind - 3];
  s.fused = draw.chance(0.5);
  s.bias_first = draw.chance(0.5);
  return s;
}

std::vector<std::uint32_t> draw_permutation(Draw& draw, std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  for (std::uint32_t i = n; i > 1; --i) std::swap(order[i - 1], order[draw.below(i)]);
  return order;
}

/// Columns and rows of a weight, as the values before and after it are reordered.
void reorder(Tensor& t, const std::vector<std::uint32_t>& rows,
             const std::vector<std::uint32_t>& columns) {
  const Tensor from = t;
  for (std::uint32_t i = 0; i < t.rows; ++i)
    for (std::uint32_t j = 0; j < t.cols; ++j) t.row(i)[j] = from.row(rows[i])[columns[j]];
}

Scenery shuffle(Draw& draw, Scenery s) {
  const std::uint32_t width = s.parameters.front().cols;
  auto before = draw_permutation(draw, width);
  const std::vector<float> input = s.input;
  for (std::size_t i = 0; i < input.size(); ++i)
    s.input[i] = input[i / width * width + before[i % width]];
  for (std::size_t p = 0; p < s.parameters.size(); p += 2) {
    auto after = draw_permutation(draw, s.parameters[p].rows);
    if (p + 2 == s.parameters.size()) std::iota(after.begin(), after.end(), 0u);
    reorder(s.parameters[p], after, before);
    reorder(s.parameters[p + 1], {0}, after);
    before = after;
  }
  return s;
}

Network with_other_gelu(const Network& network) {
  Network result;
  for (Node node : network.nodes()) {
    if (node.op == Op::gelu_erf || node.op == Op::gelu_tanh)
      node.op = node.op == Op::gelu_erf ? Op::gelu_tanh : Op::gelu_erf;
    result.append(node);
  }
  result.output(network.outputs().front());
  return result;
}

std::uint64_t draw_pattern(Draw& draw, std::size_t layers, bool whole) {
  const std::uint32_t all = (1u << layers) - 1;
  return whole ? all : draw.between(1, all);
}

}  // namespace

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<float> Truth::evaluate(const Side& side) const {
  const FpGuard guard;
  const Scenery& s = side.shuffled ? shuffled : scenery;
  diagnosis::Hypothesis h = *side.hypothesis;
  if (h.arithmetic.partials != 0) h.arithmetic.partials = side.partials;
  Emulation e{diagnosis::layered(s.network, s.network, h, side.pattern), side.summation,
              h.fast_exp && side.pattern != 0, h.fast_tanh && side.pattern != 0};
  auto parameters = s.parameters;  // a weight and a bias a layer
  for (std::size_t p = 0; p < parameters.size(); ++p)
    if ((side.pattern >> (p / 2) & 1) != 0)
      for (float& x : parameters[p].data) x = static_cast<float>(round_to(x, h.parameters));
  const Network network =
      h.other_gelu && side.pattern != 0 ? with_other_gelu(s.network) : s.network;
  const Emulated subject("truth", std::move(e));
  const float* input = s.input.data();
  std::vector<float> y(s.rows * network.node(network.outputs().front()).shape.size());
  float* output = y.data();
  subject.evaluate({network, parameters, s.rows, {&input, 1}, {&output, 1}});
  return y;
}

bool Truth::unchanged() const {
  const auto plain = [&](Side side) {
    side.pattern = 0;
    return evaluate(side);
  };
  return same_bits(plain(a), y_a) && same_bits(plain(b), y_b);
}

std::string Truth::describe() const {
  const auto words = [](const Side& s) {
    return fmt::format("{:b} order {} lanes {}{}{} partials {}", s.pattern,
                       static_cast<int>(s.summation.order), s.summation.lanes,
                       s.summation.fused ? " fma" : "", s.summation.bias_first ? " bias first" : "",
                       s.partials);
  };
  return fmt::format("{} x {} [{} | {}]", ulpfuzz::describe(scenery.network), scenery.rows,
                     words(a), words(b));
}

Truth draw_truth(std::uint64_t seed, const diagnosis::Hypothesis& h, bool unknown_order) {
  Draw draw(seed);
  Truth t;
  t.scenery = draw_scenery(draw, h);
  const std::size_t layers = t.scenery.parameters.size() / 2;
  const bool whole = diagnosis::whole(h);
  for (Side* side : {&t.a, &t.b}) {
    constexpr std::uint32_t parts[] = {2, 4, 8};
    side->hypothesis = &h;
    side->summation = draw_summation(draw);
    side->partials = parts[draw.below(3)];
    side->shuffled = unknown_order;
    side->pattern = draw_pattern(draw, layers, whole);
  }
  // More often than not one path is plain fp32.
  if (draw.chance(0.6)) (draw.chance(0.5) ? t.a : t.b).pattern = 0;
  if (h.name == "fp32") t.a.pattern = t.b.pattern = 0;
  if (unknown_order) t.shuffled = shuffle(draw, t.scenery);
  t.y_a = t.evaluate(t.a);
  t.y_b = t.evaluate(t.b);
  return t;
}

}  // namespace ulpfuzz::bench
