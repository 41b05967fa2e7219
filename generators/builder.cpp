#include "builder.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "sizes.hpp"

namespace ulpfuzz::generators {

std::uint32_t Builder::width() { return draw_size(source_, budget_.width); }

NodeId Builder::input(Shape shape) {
  budget_.elements -= std::min<std::uint64_t>(budget_.elements, shape.size());
  return net().input(shape);
}

NodeId Builder::parameter(Purpose purpose, std::uint32_t rows, std::uint32_t cols) {
  budget_.elements -= std::min<std::uint64_t>(budget_.elements, std::uint64_t{rows} * cols);
  plan_.purposes.push_back(purpose);
  return net().parameter(rows, cols);
}

NodeId Builder::weight(std::uint32_t outputs, std::uint32_t inputs) {
  return parameter({Role::weight, inputs, outputs}, outputs, inputs);
}

std::uint32_t Builder::fit(Shape x, std::uint32_t copies) const {
  std::uint64_t most = budget_.width / std::max<std::uint32_t>(x.rows, 1);
  most = std::min(most, budget_.elements / (std::uint64_t{x.cols} + 1));
  if (x.size() > 0) most = std::min(most, budget_.work / x.size());
  return static_cast<std::uint32_t>(most / copies);
}

NodeId Builder::affine(NodeId x, NodeId w, bool bias) {
  const Shape s = shape(w);
  spend(shape(x).size() * s.rows);
  if (!bias || budget_.elements < s.rows) return net().linear(x, w);
  return net().linear(x, w, parameter({Role::bias, s.cols, s.rows}, 1, s.rows));
}

NodeId Builder::linear(NodeId x, std::uint32_t cols) {
  cols = std::min(cols, fit(shape(x)));
  if (cols == 0) return x;
  return affine(x, weight(cols, shape(x).cols), !source_.chance(25));
}

NodeId Builder::hollow(NodeId x) {
  const NodeId none = affine(x, weight(0, shape(x).cols), false);
  return linear(none, width());
}

NodeId Builder::activation(NodeId x) {
  constexpr std::array ops{Op::relu,     Op::tanh,      Op::sigmoid,  Op::leaky_relu, Op::silu,
                           Op::gelu_erf, Op::gelu_tanh, Op::softplus, Op::elu};
  spend(shape(x).size());
  // relu, tanh and sigmoid are what most networks have.
  const std::uint64_t choice = source_.below(12);
  return net().activation(ops[choice < 9 ? choice : choice - 9], x);
}

NodeId Builder::kinked(NodeId x) {
  constexpr std::array ops{Op::relu, Op::leaky_relu, Op::elu};
  spend(shape(x).size());
  return net().activation(ops[source_.below(3)], x);
}

NodeId Builder::residual(NodeId x) {
  const Shape s = shape(x);
  NodeId f = fit(s) >= s.cols ? linear(x, s.cols) : x;
  if (f == x || source_.chance(60)) f = activation(f);
  spend(s.size());
  return source_.chance(50) ? net().add(f, x) : net().add(x, f);
}

NodeId Builder::gate(NodeId x) {
  const std::uint32_t cols = std::min(width(), fit(shape(x), 2));
  const bool wide = cols > 0 && source_.chance(70);
  const NodeId value = wide ? linear(x, cols) : x;
  const NodeId open = activation(wide ? linear(x, cols) : x);
  spend(shape(value).size());
  return net().mul(value, open);
}

NodeId Builder::branches(NodeId x) {
  const Shape s = shape(x);
  const std::uint32_t most = fit(s, 2);
  if (most > 0 && source_.chance(60)) {
    const NodeId a = linear(x, std::min(width(), most));
    const NodeId b = linear(x, std::min(width(), most));
    return net().concat(a, source_.chance(50) ? activation(b) : b);
  }
  if (2 * s.size() > budget_.width) return activation(x);
  return net().concat(activation(x), x);
}

NodeId Builder::norm(NodeId x) {
  const Shape s = shape(x);
  const std::uint64_t kind = source_.below(5);
  spend(8 * s.size());
  if (kind == 4) return net().softmax(x);
  NodeId y = kind < 2 ? net().layer_norm(x) : net().rms_norm(x);
  if (budget_.elements >= 2 * s.cols && source_.chance(70)) {
    y = net().mul(y, parameter({Role::scale, s.cols, s.cols}, 1, s.cols));
    if (kind < 2) y = net().add(y, parameter({Role::bias, s.cols, s.cols}, 1, s.cols));
  }
  return y;
}

NodeId Builder::attention(NodeId x) {
  // `count` tokens of `wide` features: scores between tokens of the same batch row.
  const auto count = static_cast<std::uint32_t>(source_.between(2, 5));
  const std::uint32_t most = std::min(fit(shape(x), 2), budget_.width / 2) / count;
  const std::uint32_t wide = std::min(std::max(width() / count, 1u), most);
  if (wide == 0 || shape(x).rows != 1) return activation(x);
  const NodeId h = net().reshape(linear(x, count * wide), {count, wide});
  const bool projected = fit({count, wide}, 3) >= wide && source_.chance(60);
  const NodeId q = projected ? linear(h, wide) : h;
  const NodeId k = projected ? linear(h, wide) : h;
  const NodeId v = projected ? linear(h, wide) : h;
  spend(2 * std::uint64_t{count} * count * wide);
  NodeId scores = net().matmul(q, k, false, true);
  if (source_.chance(80)) scores = net().softmax(scores);
  const NodeId mixed = net().matmul(scores, v);
  return source_.chance(70) ? net().reshape(mixed, {1, count * wide}) : mixed;
}

NodeId Builder::shared_matmul(NodeId x) {
  const Shape s = shape(x);
  if (source_.chance(30)) {  // p[m',m] x[m,n] mixes feature rows
    const std::uint32_t rows = std::min(width(), fit({s.cols, s.rows}));
    if (rows == 0) return activation(x);
    spend(s.size() * rows);
    const bool flip = source_.chance(50);
    const NodeId p =
        flip ? parameter({Role::weight, s.rows, rows}, s.rows, rows) : weight(rows, s.rows);
    return net().matmul(p, x, flip, false);
  }
  const std::uint32_t cols = std::min(width(), fit(s));
  if (cols == 0) return activation(x);
  spend(s.size() * cols);
  const bool flip = source_.chance(50);
  const NodeId p =
      flip ? weight(cols, s.cols) : parameter({Role::weight, s.cols, cols}, s.cols, cols);
  return net().matmul(x, p, false, flip);
}

NodeId Builder::tied(NodeId x) {
  const Shape s = shape(x);
  if (fit(s, 2) < s.cols) return activation(x);
  const NodeId w = weight(s.cols, s.cols);
  const NodeId once = activation(affine(x, w, source_.chance(50)));
  return affine(once, w, source_.chance(50));
}

NodeId Builder::feature_rows(NodeId x) {
  const Shape s = shape(x);
  const auto size = static_cast<std::uint32_t>(s.size());
  std::uint32_t rows = 1;  // back to one row where there are several
  if (s.rows == 1) {
    for (const std::uint32_t divisor : {2u, 3u, 5u}) {
      if (size % divisor == 0 && (rows == 1 || source_.chance(50))) rows = divisor;
    }
    if (rows == 1) return activation(x);
  }
  return linear(net().reshape(x, {rows, size / rows}), width());
}

NodeId Builder::second_input(NodeId x) {
  const Shape s = shape(x);
  const std::uint64_t kind = source_.below(3);
  if (budget_.elements < s.size() || (kind == 2 && 2 * s.size() > budget_.width)) {
    return activation(x);
  }
  const NodeId y = input(s);
  spend(s.size());
  if (kind == 0) return net().add(x, y);
  return kind == 1 ? net().mul(x, y) : net().concat(x, y);
}

}  // namespace ulpfuzz::generators
