#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bounds::testing {

/// An honest evaluator that draws, for each network, a summation order, FMA or not, the position of
/// the bias, and a formula of each function, all legal in the bounds' model. Independent of the
/// library's kernels, so that bounds and kernels cannot be wrong alike.
class Emulator {
 public:
  enum class Order { sequential, reversed, pairwise, random_tree, ascending, descending, signs };

  Emulator(std::uint64_t seed, Arithmetic arithmetic) : random_(seed), arithmetic_(arithmetic) {
    draw_style();
  }

  void draw_style() {
    order_ = static_cast<Order>(pick(7));
    fused_ = pick(2) == 0;
    bias_first_ = pick(2) == 0;
    variant_ = pick(4);
  }

  /// Values of all nodes, [entries, size].
  std::vector<std::vector<float>> run(const Network& network, const std::vector<Tensor>& parameters,
                                      std::size_t batch, const std::vector<const float*>& inputs);

 private:
  using Floats = std::vector<float>;
  std::size_t pick(std::size_t n) { return random_() % n; }

  float convert(float x) const {
    return static_cast<float>(round_to(x, arithmetic_.operand, arithmetic_.conversion));
  }
  float round(double x) const { return static_cast<float>(round_to(x, arithmetic_.accumulate)); }
  float plus(float a, float b) const { return round(double{a} + b); }
  float times(float a, float b) const { return round(double{a} * b); }

  float sum(Floats terms);
  float dot(const Floats& a, const Floats& b, const float* bias);
  float function(Op op, float alpha, float x) const;
  float slope(Op op, float alpha, float x) const;
  void softmax(const float* x, std::size_t n, float* y);
  void norm(const Node& node, const float* x, std::size_t n, float* y);
  void softmax_grad(const float* v, const float* s, std::size_t n, float* y);
  void norm_grad(const Node& node, const float* v, const float* x, std::size_t n, float* y);

  void evaluate(const Network& network, NodeId id, std::size_t batch);
  float at(const Network& network, const Node& user, NodeId id, std::size_t e, std::size_t i) const;

  std::mt19937_64 random_;
  Arithmetic arithmetic_;
  Order order_ = Order::sequential;
  bool fused_ = false, bias_first_ = false;
  std::size_t variant_ = 0;
  std::vector<Floats> values_;
};

inline float Emulator::sum(Floats t) {
  if (t.empty()) return 0;
  const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
  if (order_ == Order::reversed) std::reverse(t.begin(), t.end());
  if (order_ == Order::ascending) std::sort(t.begin(), t.end(), smaller);
  if (order_ == Order::descending) std::sort(t.rbegin(), t.rend(), smaller);
  if (order_ == Order::signs) std::sort(t.rbegin(), t.rend());
  if (order_ == Order::pairwise || order_ == Order::random_tree) {
    while (t.size() > 1) {
      const std::size_t i = order_ == Order::pairwise ? 0 : pick(t.size() - 1);
      const float s = plus(t[i], t[i + 1]);
      t.erase(t.begin() + static_cast<std::ptrdiff_t>(i),
              t.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      t.push_back(s);
    }
    return t.front();
  }
  float s = t.front();
  for (std::size_t i = 1; i < t.size(); ++i) s = plus(s, t[i]);
  return s;
}

inline float Emulator::dot(const Floats& a, const Floats& b, const float* bias) {
  if (fused_ && arithmetic_.accumulate == Format::fp32) {
    float s = bias && bias_first_ ? *bias : 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) s = std::fma(convert(a[i]), convert(b[i]), s);
    return bias && !bias_first_ ? s + *bias : s;
  }
  Floats terms;
  if (bias && bias_first_) terms.push_back(*bias);
  for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(times(convert(a[i]), convert(b[i])));
  if (bias && !bias_first_) terms.push_back(*bias);
  return sum(std::move(terms));
}

inline float Emulator::at(const Network& network, const Node& user, NodeId id, std::size_t e,
                          std::size_t i) const {
  const Node& node = network.node(id);
  if (node.axis == Axis::shared) e = 0;
  if (node.axis == Axis::batch && user.axis == Axis::repeated) e /= network.repeat();
  return values_[id][e * node.shape.size() + i];
}

inline void Emulator::evaluate(const Network& network, NodeId id, std::size_t batch) {
  const Node& n = network.node(id);
  Floats& y = values_[id];
  const std::size_t entries = network.entries(n, batch);
  const std::size_t size = n.shape.size();
  const std::size_t cols = n.shape.cols;
  y.assign(entries * size, 0);
  const auto arg = [&](std::size_t k, std::size_t e, std::size_t i) {
    return at(network, n, n.args[k], e, i);
  };
  const auto node = [&](std::size_t k) -> const Node& { return network.node(n.args[k]); };
  if (n.op == Op::outer_sum || n.op == Op::batch_sum) {
    const std::size_t all = network.entries(node(0), batch);
    const Shape s = node(0).shape;
    for (std::size_t i = 0; i < size; ++i) {
      Floats a, b;
      for (std::size_t e = 0; e < all; ++e)
        for (std::size_t r = 0; r < (n.op == Op::outer_sum ? s.rows : 1); ++r) {
          const std::size_t p = n.op == Op::outer_sum ? r * s.cols + i / cols : i;
          a.push_back(values_[n.args[0]][e * s.size() + p]);
          if (n.op == Op::outer_sum)
            b.push_back(values_[n.args[1]][e * node(1).shape.size() + r * cols + i % cols]);
        }
      y[i] = n.op == Op::outer_sum ? dot(a, b, nullptr) : sum(a);
    }
    return;
  }
  for (std::size_t e = 0; e < entries; ++e) {
    Floats u(size), w(size);
    if (n.op >= Op::softmax && n.op <= Op::rms_norm)
      for (std::size_t i = 0; i < size; ++i) u[i] = arg(0, e, i);
    if (n.op >= Op::softmax_grad && n.op <= Op::rms_norm_grad)
      for (std::size_t i = 0; i < size; ++i) u[i] = arg(0, e, i), w[i] = arg(1, e, i);
    for (std::size_t r = 0; r < n.shape.rows; ++r) {
      float* row = y.data() + e * size + r * cols;
      const float* ur = u.data() + r * cols;
      const float* wr = w.data() + r * cols;
      if (n.op == Op::softmax) softmax(ur, cols, row);
      if (n.op == Op::layer_norm || n.op == Op::rms_norm) norm(n, ur, cols, row);
      if (n.op == Op::softmax_grad) softmax_grad(ur, wr, cols, row);
      if (n.op == Op::layer_norm_grad || n.op == Op::rms_norm_grad) norm_grad(n, ur, wr, cols, row);
      for (std::size_t j = 0; j < cols; ++j) {
        const std::size_t i = r * cols + j;
        const std::size_t t = e % network.repeat();
        Floats a, b;
        switch (n.op) {
          case Op::linear: {
            const std::size_t k = node(0).shape.cols;
            for (std::size_t l = 0; l < k; ++l) {
              a.push_back(arg(0, e, r * k + l));
              b.push_back(arg(1, e, j * k + l));
            }
            const float bias = n.arity == 3 ? arg(2, e, j) : 0;
            row[j] = dot(a, b, n.arity == 3 ? &bias : nullptr);
            break;
          }
          case Op::matmul: {
            const Shape sa = node(0).shape, sb = node(1).shape;
            const std::size_t k = n.transpose_a ? sa.rows : sa.cols;
            for (std::size_t l = 0; l < k; ++l) {
              a.push_back(arg(0, e, n.transpose_a ? l * sa.cols + r : r * sa.cols + l));
              b.push_back(arg(1, e, n.transpose_b ? j * sb.cols + l : l * sb.cols + j));
            }
            row[j] = dot(a, b, nullptr);
            break;
          }
          case Op::add:
          case Op::mul: {
            const float p = arg(0, e, node(0).shape.rows == 1 ? j : i);
            const float q = arg(1, e, node(1).shape.rows == 1 ? j : i);
            row[j] = n.op == Op::add ? plus(p, q) : times(p, q);
            break;
          }
          case Op::concat: {
            const std::size_t left = node(0).shape.cols;
            row[j] =
                j < left ? arg(0, e, r * left + j) : arg(1, e, r * node(1).shape.cols + j - left);
            break;
          }
          case Op::reshape:
            row[j] = arg(0, e, i);
            break;
          case Op::derivative:
            row[j] = round(slope(n.of, n.alpha, arg(0, e, i)));
            break;
          case Op::slice:
            row[j] = arg(0, e, r * node(0).shape.cols + n.index + j);
            break;
          case Op::pad: {
            const std::size_t inner = node(0).shape.cols;
            const bool inside = j >= n.index && j < n.index + inner;
            row[j] = inside ? arg(0, e, r * inner + j - n.index) : 0;
            break;
          }
          case Op::sum_rows:
            for (std::size_t l = 0; l < node(0).shape.rows; ++l)
              a.push_back(arg(0, e, l * cols + j));
            row[j] = sum(a);
            break;
          case Op::basis:
            row[j] = network.repeat() == size ? i == t : j == t;
            break;
          case Op::unit_tangents: {
            const std::size_t k = node(0).shape.cols;
            row[j] = t / k == j ? arg(0, e, r * k + t % k) : 0;
            break;
          }
          default:
            if (is_activation(n.op)) row[j] = round(function(n.op, n.alpha, arg(0, e, i)));
        }
      }
    }
  }
}

inline std::vector<std::vector<float>> Emulator::run(const Network& network,
                                                     const std::vector<Tensor>& parameters,
                                                     std::size_t batch,
                                                     const std::vector<const float*>& inputs) {
  values_.resize(network.nodes().size());
  std::size_t p = 0, x = 0;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Node& n = network.node(id);
    if (n.op == Op::parameter) {
      values_[id] = parameters[p++].data;
    } else if (n.op == Op::input) {
      values_[id].assign(inputs[x], inputs[x] + network.entries(n, batch) * n.shape.size());
      ++x;
    } else {
      evaluate(network, id, batch);
    }
  }
  return values_;
}

}  // namespace ulpfuzz::bounds::testing

#include "bounds/emulator_functions.hpp"
