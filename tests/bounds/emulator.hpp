#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/layered_arithmetic.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bounds::testing {

/// An honest evaluator that draws, for each network, a summation order, FMA or not, the position of
/// the bias, and a formula of each function, all legal in the bounds' model. Independent of the
/// library's kernels, so that bounds and kernels cannot be wrong alike.
class Emulator {
 public:
  enum class Order { sequential, reversed, pairwise, random_tree, ascending, descending, signs };

  Emulator(std::uint64_t seed, const LayeredArithmetic& layered)
      : random_(seed), layered_(layered), arithmetic_(layered.everywhere) {
    draw_style();
  }

  void draw_style() {
    order_ = static_cast<Order>(pick(7));
    fused_ = pick(2) == 0;
    bias_first_ = pick(2) == 0;
    variant_ = pick(4);
  }
  /// Data-oblivious: left to right, products rounded or fused.
  void set_sequential(bool fused) {
    order_ = Order::sequential;
    fused_ = fused;
    bias_first_ = false;
    variant_ = 0;
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
  float dot(const Floats& a, const Floats& b, const float* bias, bool matmul = true);
  float dot_converted(const Floats& a, const Floats& b, const float* bias);
  float function(Op op, float alpha, float x) const;
  float slope(Op op, float alpha, float x) const;
  void softmax(const float* x, std::size_t n, float* y);
  void norm(const Node& node, const float* x, std::size_t n, float* y);
  void softmax_grad(const float* v, const float* s, std::size_t n, float* y);
  void norm_grad(const Node& node, const float* v, const float* x, std::size_t n, float* y);

  void evaluate(const Network& network, NodeId id, std::size_t batch);
  void compute(const Network& network, NodeId id, std::size_t batch);
  void batch_sums(const Network& network, const Node& n, std::size_t batch, Floats& y);
  void row_functions(const Network& network, const Node& n, std::size_t e, float* y);
  float element(const Network& network, const Node& n, std::size_t e, std::size_t r, std::size_t j);
  float dot_at(const Network& network, const Node& n, std::size_t e, std::size_t r, std::size_t j);
  float at(const Network& network, const Node& user, NodeId id, std::size_t e, std::size_t i) const;

  std::mt19937_64 random_;
  LayeredArithmetic layered_;
  Arithmetic arithmetic_;  // of the node at hand
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

inline std::vector<float> pieces_of(float x, Format format, Rounding rounding, std::size_t n) {
  std::vector<float> pieces;
  for (; n > 0; --n) {
    pieces.push_back(static_cast<float>(round_to(x, format, rounding)));
    x -= pieces.back();
  }
  return pieces;
}

// Which products of pieces are kept: those of least total order.
inline float Emulator::dot(const Floats& a, const Floats& b, const float* bias, bool matmul) {
  const Arithmetic& m = arithmetic_;
  if (!matmul) return dot_converted(a, b, bias);
  Floats left, right;
  if (m.split == Split::none) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      left.push_back(convert(a[i]));
      right.push_back(convert(b[i]));
    }
    return dot_converted(left, right, bias);
  }
  const bool two = m.split == Split::bf16x3 || m.split == Split::tf32x3;
  const Format format = m.split == Split::tf32x3 ? Format::tf32 : Format::bf16;
  const std::size_t orders = two ? 2 : m.split == Split::bf16x6 ? 3 : 5;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Floats p = pieces_of(a[i], format, m.conversion, two ? 2 : 3);
    const Floats q = pieces_of(b[i], format, m.conversion, two ? 2 : 3);
    for (std::size_t s = 0; s < p.size(); ++s)
      for (std::size_t t = 0; t < q.size() && s + t < orders; ++t) {
        left.push_back(p[s]);
        right.push_back(q[t]);
      }
  }
  return dot_converted(left, right, bias);
}

inline float Emulator::dot_converted(const Floats& a, const Floats& b, const float* bias) {
  if (fused_ && arithmetic_.accumulate == Format::fp32) {
    float s = bias && bias_first_ ? *bias : 0.0f;
    for (std::size_t i = 0; i < a.size(); ++i) s = std::fma(a[i], b[i], s);
    return bias && !bias_first_ ? s + *bias : s;
  }
  Floats terms;
  if (bias && bias_first_) terms.push_back(*bias);
  for (std::size_t i = 0; i < a.size(); ++i) terms.push_back(times(a[i], b[i]));
  if (bias && !bias_first_) terms.push_back(*bias);
  return sum(std::move(terms));
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
#include "bounds/emulator_nodes.hpp"
