#include "adjoint.hpp"

#include <cmath>

namespace ulpfuzz::bounds {
namespace {

/// to[o, r, i] += sum_j from[o, r, j] w(j, i), with radii; w(j, i) lies at j * w_row + i *
/// w_column.
struct Pullback {
  std::size_t rows, inner, outer;
  const double* w;
  std::size_t w_row, w_column;
};

ULPFUZZ_CLONES void pull(const Pullback& p, const double* from, const double* from_radius,
                         double* to, double* to_radius) {
  for (std::size_t r = 0; r < p.rows; ++r)
    for (std::size_t j = 0; j < p.inner; ++j) {
      const double g = from[r * p.inner + j];
      const double radius = from_radius[r * p.inner + j];
      if (g == 0 && radius == 0) continue;
      const double* w = p.w + j * p.w_row;
      for (std::size_t i = 0; i < p.outer; ++i) {
        const double factor = w[i * p.w_column];
        to[r * p.outer + i] += g * factor;
        to_radius[r * p.outer + i] += radius * std::fabs(factor);
      }
    }
}

}  // namespace

std::size_t Adjoint::offset(NodeId id) const {
  const Value& v = values_[id];
  return network_->node(id).axis == Axis::shared ? 0 : entry_ * v.size();
}
const double* Adjoint::value_of(NodeId id) const { return values_[id].value.data() + offset(id); }
const double* Adjoint::error_of(NodeId id) const { return values_[id].error.data() + offset(id); }

bool Adjoint::applies(NodeId top, std::size_t entry) const {
  for (NodeId id = 0; id <= top; ++id) {
    const Node& node = network_->node(id);
    if (node.op >= Op::derivative || node.axis == Axis::repeated) return false;
    const Value& v = values_[id];
    if (v.clean) continue;
    const std::size_t at = node.axis == Axis::shared ? 0 : entry * v.size();
    for (std::size_t i = 0; i < v.size(); ++i)
      if (v.state[at + i] != State::finite) return false;
  }
  return network_->node(top).axis == Axis::batch;
}

Adjoint::Gradient& Adjoint::gradient_of(NodeId id) {
  Gradient& g = gradients_[id];
  if (!g.present) {
    g.present = true;
    g.value.assign(elements_ * values_[id].size(), 0);
    g.radius.assign(elements_ * values_[id].size(), 0);
  }
  return g;
}

void Adjoint::charge(const Gradient& g, const double* error, std::size_t size) {
  for (std::size_t o = 0; o < elements_; ++o)
    for (std::size_t i = 0; i < size; ++i)
      bounds_[o] += (std::fabs(g.value[o * size + i]) + g.radius[o * size + i]) * error[i];
}

void Adjoint::product(NodeId to, const Gradient& g, const Node& node) {
  Gradient& t = gradient_of(to);
  const Value& w = values_[node.args[1]];
  pull({elements_ * node.shape.rows, node.shape.cols, w.cols, w.value.data(), w.cols, 1},
       g.value.data(), g.radius.data(), t.value.data(), t.radius.data());
}

// With a shared left operand the gradient is op(a)^T g; done on columns.
void Adjoint::matmul(const Node& node, const Gradient& g) {
  const auto [a, b, unused] = node.args;
  const Value& left = values_[a];
  const Value& right = values_[b];
  const std::size_t m = node.shape.rows, n = node.shape.cols;
  const std::size_t k = node.transpose_a ? left.rows : left.cols;
  const bool to_left = network_->node(b).axis == Axis::shared;
  Gradient& t = gradient_of(to_left ? a : b);
  const Value& w = to_left ? right : left;
  const bool flip = to_left ? node.transpose_b : node.transpose_a;
  const std::size_t size = to_left ? left.size() : right.size();
  const auto at = [&](std::size_t r, std::size_t c) {
    return w.value[flip ? c * w.cols + r : r * w.cols + c];
  };
  for (std::size_t o = 0; o < elements_; ++o)
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        const double v = g.value[(o * m + i) * n + j];
        const double r = g.radius[(o * m + i) * n + j];
        for (std::size_t l = 0; l < k; ++l) {
          const double factor = to_left ? at(l, j) : at(i, l);
          const std::size_t row = to_left ? i : l, column = to_left ? l : j;
          const bool turned = to_left ? node.transpose_a : node.transpose_b;
          const std::size_t cols = to_left ? left.cols : right.cols;
          const std::size_t to = o * size + (turned ? column * cols + row : row * cols + column);
          t.value[to] += v * factor;
          t.radius[to] += r * std::fabs(factor);
        }
      }
}

// Gradient times a factor known up to `error`; null: 1, exactly. Factors repeat with `period`.
void Adjoint::elementwise(NodeId to, const Gradient& g, const double* factor, const double* error,
                          std::size_t period) {
  if (network_->node(to).axis == Axis::shared) return;
  Gradient& t = gradient_of(to);
  const std::size_t size = values_[to].size();
  for (std::size_t o = 0; o < elements_; ++o)
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t at = o * size + i;
      const double f = factor ? factor[i % period] : 1;
      const double e = error ? error[i % period] : 0;
      t.value[at] += g.value[at] * f;
      t.radius[at] += g.radius[at] * (std::fabs(f) + e) + std::fabs(g.value[at]) * e;
    }
}

// The slopes of an activation over its box are the derivative rule's value and radius.
void Adjoint::activation(const Node& node, const Gradient& g) {
  const std::size_t size = values_[node.args[0]].size();
  z_.reset(1, node.shape);
  slope_.reset(1, node.shape);
  std::copy_n(value_of(node.args[0]), size, z_.value.begin());
  std::copy_n(error_of(node.args[0]), size, z_.error.begin());
  std::fill_n(z_.variance.begin(), size, 0.0);
  Node derivative;
  derivative.op = Op::derivative;
  derivative.of = node.op;
  derivative.alpha = node.alpha;
  derivative_rule(derivative, z_, {}, slope_, context_);
  elementwise(node.args[0], g, slope_.value.data(), slope_.error.data(),
              std::max<std::size_t>(size, 1));
}

void Adjoint::concat(const Node& node, const Gradient& g) {
  std::size_t start = 0;
  for (const NodeId id : node.operands()) {
    Gradient& t = gradient_of(id);
    const std::size_t cols = values_[id].cols;
    for (std::size_t r = 0; r < elements_ * node.shape.rows; ++r)
      for (std::size_t j = 0; j < cols; ++j) {
        t.value[r * cols + j] += g.value[r * node.shape.cols + start + j];
        t.radius[r * cols + j] += g.radius[r * node.shape.cols + start + j];
      }
    start += cols;
  }
}

// A node that is cut counts as a source of its whole plain error: it then stands for an input whose
// exact value is known to be that far from the computed one.
void Adjoint::step(NodeId id) {
  const Node& node = network_->node(id);
  const Gradient& g = gradients_[id];
  const Value& v = values_[id];
  const NodeId a = node.args[0], b = node.args[1];
  const auto shared = [&](NodeId arg) { return network_->node(arg).axis == Axis::shared; };
  const bool cut = node.op == Op::softmax || node.op == Op::layer_norm || node.op == Op::rms_norm ||
                   (node.op == Op::matmul && !shared(a) && !shared(b));
  charge(g, (cut ? v.error.data() : v.local.data()) + offset(id), v.size());
  if (cut) return;
  switch (node.op) {
    case Op::input:
    case Op::parameter:
      return;
    case Op::linear:
      return product(a, g, node);
    case Op::matmul:
      return matmul(node, g);
    case Op::add:
      elementwise(a, g, nullptr, nullptr, 1);
      return elementwise(b, g, nullptr, nullptr, 1);
    case Op::mul:
      elementwise(a, g, value_of(b), error_of(b), std::max<std::size_t>(values_[b].size(), 1));
      return elementwise(b, g, value_of(a), error_of(a),
                         std::max<std::size_t>(values_[a].size(), 1));
    case Op::concat:
      return concat(node, g);
    case Op::reshape:
      return elementwise(a, g, nullptr, nullptr, 1);
    default:
      return activation(node, g);
  }
}

bool Adjoint::run(const Network& network, std::span<const Value> values, NodeId top,
                  std::size_t entry, const Context& context) {
  network_ = &network;
  values_ = values;
  entry_ = entry;
  context_.model = context.model;
  if (!applies(top, entry)) return false;
  elements_ = values[top].size();
  bounds_.assign(elements_, 0);
  gradients_.resize(std::max<std::size_t>(gradients_.size(), top + 1));
  for (Gradient& g : gradients_) g.present = false;
  Gradient& seed = gradient_of(top);
  for (std::size_t o = 0; o < elements_; ++o) seed.value[o * elements_ + o] = 1;
  for (NodeId id = top + 1; id-- > 0;)
    if (gradients_[id].present) step(id);
  for (double& b : bounds_) b *= inflation;
  return true;
}

}  // namespace ulpfuzz::bounds
