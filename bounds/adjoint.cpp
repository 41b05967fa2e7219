#include "adjoint.hpp"

#include <cmath>

#include "product.hpp"

namespace ulpfuzz::bounds {

// The gradient is that of exact functions.
Adjoint::Adjoint() {
  context_.model = model_of({});
  context_.model.u = context_.model.eta = 0;
}

std::size_t Adjoint::offset(NodeId id) const {
  const Axis axis = network_->node(id).axis;
  const std::size_t entry = axis == Axis::shared ? 0 : axis == Axis::batch ? row_ : entry_;
  return entry * values_[id].size();
}
const double* Adjoint::value_of(NodeId id) const { return values_[id].value.data() + offset(id); }
const double* Adjoint::error_of(NodeId id) const { return values_[id].error.data() + offset(id); }

// An operand without errors has none to pass on.
bool Adjoint::wanted(NodeId id) const {
  return network_->node(id).axis != Axis::shared && !values_[id].error_free;
}

bool Adjoint::finite(NodeId id) const {
  const Value& v = values_[id];
  if (v.clean) return true;
  const auto at = v.state.begin() + static_cast<std::ptrdiff_t>(offset(id));
  return std::all_of(at, at + static_cast<std::ptrdiff_t>(v.size()),
                     [](State s) { return s == State::finite; });
}

Gradient& Adjoint::gradient_of(NodeId id) {
  Gradient& g = gradients_[id];
  if (!g.present) g.clear(elements_ * values_[id].size());
  return g;
}

void Adjoint::product(NodeId to, const Gradient& g, const Node& node) {
  if (!wanted(to)) return;
  const Value& w = values_[node.args[1]];
  pull({elements_ * node.shape.rows, node.shape.cols, w.cols, w.value.data()}, g, gradient_of(to),
       index_);
}

// With a shared left operand the gradient is op(a)^T g; done on columns.
void Adjoint::matmul(const Node& node, const Gradient& g) {
  const auto [a, b, unused] = node.args;
  const Value& left = values_[a];
  const Value& right = values_[b];
  const std::size_t m = node.shape.rows, n = node.shape.cols;
  const std::size_t k = node.transpose_a ? left.rows : left.cols;
  const bool to_left = network_->node(b).axis == Axis::shared;
  if (!wanted(to_left ? a : b)) return;
  Gradient& t = gradient_of(to_left ? a : b);
  if (to_left && !node.transpose_a) {
    if (!node.transpose_b) transpose(right.value.data(), right.rows, right.cols, transposed_);
    const double* w = node.transpose_b ? right.value.data() : transposed_.data();
    return pull({elements_ * m, n, k, w}, g, t, index_);
  }
  if (!g.exact) t.make_inexact();
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
        const double r = g.exact ? 0 : g.radius[(o * m + i) * n + j];
        for (std::size_t l = 0; l < k; ++l) {
          const double factor = to_left ? at(l, j) : at(i, l);
          const std::size_t row = to_left ? i : l, column = to_left ? l : j;
          const bool turned = to_left ? node.transpose_a : node.transpose_b;
          const std::size_t cols = to_left ? left.cols : right.cols;
          const std::size_t to = o * size + (turned ? column * cols + row : row * cols + column);
          t.value[to] += v * factor;
          if (!g.exact) t.radius[to] += r * std::fabs(factor);
        }
      }
}

void Adjoint::elementwise(NodeId to, const Gradient& g, const Factors& factors) {
  if (wanted(to)) scale(g, elements_, values_[to].size(), factors, gradient_of(to));
}

Factors Adjoint::factors_of(NodeId id) const {
  return {value_of(id), variances_ ? nullptr : error_of(id),
          std::max<std::size_t>(values_[id].size(), 1)};
}

// The slopes of an activation over its box are the derivative rule's value and radius.
void Adjoint::activation(const Node& node, const Gradient& g) {
  if (!wanted(node.args[0])) return;
  const std::size_t size = values_[node.args[0]].size();
  if (variances_) {
    const double* variance = variances_->total[node.args[0]].data() + offset(node.args[0]);
    const auto slopes = activation_slopes(node, value_of(node.args[0]), variance, size);
    return elementwise(node.args[0], g, {slopes.data(), nullptr, std::max<std::size_t>(size, 1)});
  }
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
  elementwise(node.args[0], g,
              {slope_.value.data(), slope_.error.data(), std::max<std::size_t>(size, 1)});
}

void Adjoint::concat(const Node& node, const Gradient& g) {
  std::size_t start = 0;
  for (const NodeId id : node.operands()) {
    const std::size_t cols = values_[id].cols;
    if (wanted(id)) {
      Gradient& t = gradient_of(id);
      if (!g.exact) t.make_inexact();
      for (std::size_t r = 0; r < elements_ * node.shape.rows; ++r)
        for (std::size_t j = 0; j < cols; ++j) {
          const std::size_t from = r * node.shape.cols + start + j;
          t.value[r * cols + j] += g.value[from];
          if (!g.exact) t.radius[r * cols + j] += g.radius[from];
        }
    }
    start += cols;
  }
}

// A node that is cut counts as a source of its whole plain error: it then stands for an input whose
// exact value is known to be that far from the computed one.
bool Adjoint::is_cut(NodeId id) const {
  if (!cuts_.empty() && cuts_[id] != 0) return true;
  const Node& node = network_->node(id);
  const auto shared = [&](NodeId arg) { return network_->node(arg).axis == Axis::shared; };
  return node.op >= Op::derivative || node.op == Op::softmax || node.op == Op::layer_norm ||
         node.op == Op::rms_norm ||
         (node.op == Op::matmul && !shared(node.args[0]) && !shared(node.args[1]));
}

bool Adjoint::step(NodeId id) {
  const Node& node = network_->node(id);
  if (!finite(id)) return false;
  const Gradient& g = gradients_[id];
  const Value& v = values_[id];
  const bool cut = is_cut(id);
  if (variances_) {
    const auto& own = cut ? variances_->total[id] : variances_->local[id];
    if (cut && together_)
      charge_deviations(g, own.data() + offset(id), elements_, v.size(), deviations_.data());
    else
      charge_squares(g, own.data() + offset(id), elements_, v.size(), bounds_.data());
  } else {
    charge(g, (cut ? v.error.data() : v.local.data()) + offset(id), elements_, v.size(),
           bounds_.data());
  }
  if (cut) return true;
  for (const NodeId a : node.operands())
    if (!finite(a) || (network_->node(a).axis == Axis::shared && !values_[a].error_free))
      return false;
  follow(id, g);
  return true;
}

void Adjoint::follow(NodeId id, const Gradient& g) {
  const Node& node = network_->node(id);
  const NodeId a = node.args[0], b = node.args[1];
  switch (node.op) {
    case Op::input:
    case Op::parameter:
      return;
    case Op::linear:
      return product(a, g, node);
    case Op::matmul:
      return matmul(node, g);
    case Op::add:
      elementwise(a, g, {});
      return elementwise(b, g, {});
    case Op::mul:
      elementwise(a, g, factors_of(b));
      return elementwise(b, g, factors_of(a));
    case Op::concat:
      return concat(node, g);
    case Op::reshape:
      return elementwise(a, g, {});
    default:
      return activation(node, g);
  }
}

bool Adjoint::sweep(NodeId top, std::size_t entry) {
  entry_ = entry;
  row_ = network_->node(top).axis == Axis::repeated ? entry / network_->repeat() : entry;
  elements_ = values_[top].size();
  bounds_.assign(elements_, 0);
  deviations_.assign(elements_, 0);
  gradients_.resize(std::max<std::size_t>(gradients_.size(), top + 1));
  for (Gradient& g : gradients_) g.present = false;
  Gradient& seed = gradient_of(top);
  for (std::size_t o = 0; o < elements_; ++o) seed.value[o * elements_ + o] = 1;
  for (NodeId id = top + 1; id-- > 0;)
    if (gradients_[id].present && !step(id)) return false;
  return true;
}

bool Adjoint::run(const Network& network, std::span<const Value> values, NodeId top,
                  std::size_t entry, std::span<const std::uint8_t> cuts) {
  network_ = &network;
  values_ = values;
  cuts_ = cuts;
  variances_ = nullptr;
  if (!sweep(top, entry)) return false;
  for (double& b : bounds_) b *= inflation;
  return true;
}

bool Adjoint::run_typical(const Network& network, std::span<const Value> values, NodeId top,
                          std::size_t entry, const Variances& variances,
                          std::span<const std::uint8_t> cuts, bool together) {
  network_ = &network;
  values_ = values;
  cuts_ = cuts;
  variances_ = &variances;
  together_ = together;
  if (!sweep(top, entry)) return false;
  for (std::size_t o = 0; o < elements_; ++o)
    if (deviations_[o] > 0) {
      const double deviation = deviations_[o] + std::sqrt(bounds_[o]);
      bounds_[o] = deviation * deviation;
    }
  return true;
}

}  // namespace ulpfuzz::bounds
