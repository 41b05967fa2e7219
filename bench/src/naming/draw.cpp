#include "naming/draw.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>

namespace ulpfuzz::bench {
namespace {

Op one_of(Draw& draw, std::initializer_list<Op> ops) {
  return ops.begin()[draw.below(static_cast<std::uint32_t>(ops.size()))];
}

Op draw_activation(Draw& draw, const diagnosis::Hypothesis& h) {
  if (h.fast_exp) return one_of(draw, {Op::sigmoid, Op::silu, Op::softplus, Op::elu});
  if (h.fast_tanh) return one_of(draw, {Op::tanh, Op::tanh, Op::gelu_tanh});
  if (h.other_gelu) return one_of(draw, {Op::gelu_erf, Op::gelu_tanh});
  return one_of(draw, {Op::relu, Op::relu, Op::relu, Op::tanh, Op::gelu_tanh, Op::gelu_erf,
                       Op::silu, Op::sigmoid});
}

/// What numbers are drawn as: for underflow so small that products of the first layer are
/// subnormal.
struct Sizes {
  double input = 1, first_weight = 1, bias = 1;
};

class Builder {
 public:
  Builder(Draw& draw, const diagnosis::Hypothesis& h, const Sizes& sizes, std::uint32_t widest)
      : draw_(draw), h_(h), sizes_(sizes), widest_(widest) {
    scenery_.rows = draw.between(2, 16);
    width_ = draw.between(2, widest);
    value_ = scenery_.network.input(width_);
    scenery_.input.resize(scenery_.rows * width_);
    for (float& x : scenery_.input) x = static_cast<float>(sizes.input * draw.normal());
  }

  Scenery build() {
    const std::uint32_t depth = draw_.between(1, 4);
    const bool on_functions = h_.fast_exp || h_.fast_tanh || h_.other_gelu;
    const bool softmax = (h_.fast_exp || !on_functions) && draw_.chance(0.1);
    const Op activation = sizes_.input == 1 ? draw_activation(draw_, h_) : Op::relu;
    for (std::uint32_t l = 0; l < depth; ++l) {
      linear(l == 0 ? sizes_.first_weight : 1, draw_.between(2, widest_));
      if (l + 1 < depth || (on_functions && depth == 1 && !softmax))
        value_ = scenery_.network.activation(activation, value_);
    }
    if (softmax) value_ = scenery_.network.softmax(value_);
    scenery_.network.output(value_);
    return std::move(scenery_);
  }

 private:
  void fill(Tensor& t, double size) {
    for (float& w : t.data) w = static_cast<float>(size * (2 * draw_.unit() - 1));
  }
  void linear(double size, std::uint32_t width) {
    const double scale = 1 / std::sqrt(static_cast<double>(width_));
    Tensor w(width, width_), b(1, width);
    fill(w, size * scale);
    fill(b, sizes_.bias * scale);
    const NodeId weight = scenery_.network.parameter(width, width_);
    const NodeId bias = scenery_.network.parameter(1, width);
    value_ = scenery_.network.linear(value_, weight, bias);
    scenery_.parameters.push_back(std::move(w));
    scenery_.parameters.push_back(std::move(b));
    width_ = width;
  }

  Draw& draw_;
  const diagnosis::Hypothesis& h_;
  Sizes sizes_;
  std::uint32_t widest_;
  Scenery scenery_;
  std::uint32_t width_ = 0;
  NodeId value_ = 0;
};

}  // namespace

std::uint64_t Draw::bits() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Draw::unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint32_t Draw::below(std::uint32_t n) { return static_cast<std::uint32_t>(unit() * n); }

double Draw::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - unit()));
  return radius * std::cos(2 * std::numbers::pi * unit());
}

Scenery draw_scenery(Draw& draw, const diagnosis::Hypothesis& h, std::uint32_t widest) {
  Sizes sizes;
  if (h.arithmetic.flushes_subnormals && draw.chance(0.5))
    sizes = {0x1p-66, std::ldexp(1.0, -60 - static_cast<int>(draw.below(6))), 0x1p-128};
  return Builder(draw, h, sizes, widest).build();
}

}  // namespace ulpfuzz::bench
