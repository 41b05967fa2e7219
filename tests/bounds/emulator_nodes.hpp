#pragma once

// How the Emulator evaluates each kind of node; the end of emulator.hpp includes this.
#include "bounds/emulator.hpp"

namespace ulpfuzz::bounds::testing {

inline float Emulator::at(const Network& network, const Node& user, NodeId id, std::size_t e,
                          std::size_t i) const {
  const Node& node = network.node(id);
  if (node.axis == Axis::shared) e = 0;
  if (node.axis == Axis::batch && user.axis == Axis::repeated) e /= network.repeat();
  return values_[id][e * node.shape.size() + i];
}

// Sums over the batch: each element from all entries.
inline void Emulator::batch_sums(const Network& network, const Node& n, std::size_t batch,
                                 Floats& y) {
  const auto node = [&](std::size_t k) -> const Node& { return network.node(n.args[k]); };
  const std::size_t size = n.shape.size(), cols = n.shape.cols;
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
    y[i] = n.op == Op::outer_sum ? dot(a, b, nullptr, a.size() > 1 || arithmetic_.outer_by_matmul)
                                 : sum(a);
  }
}

inline void Emulator::row_functions(const Network& network, const Node& n, std::size_t e,
                                    float* y) {
  const std::size_t size = n.shape.size(), cols = n.shape.cols;
  const auto arg = [&](std::size_t k, std::size_t at_e, std::size_t i) {
    return at(network, n, n.args[k], at_e, i);
  };
  Floats u(size), w(size);
  if (n.op >= Op::softmax && n.op <= Op::rms_norm)
    for (std::size_t i = 0; i < size; ++i) u[i] = arg(0, e, i);
  if (n.op >= Op::softmax_grad && n.op <= Op::rms_norm_grad)
    for (std::size_t i = 0; i < size; ++i) u[i] = arg(0, e, i), w[i] = arg(1, e, i);
  for (std::size_t r = 0; r < n.shape.rows; ++r) {
    float* row = y + r * cols;
    const float* ur = u.data() + r * cols;
    const float* wr = w.data() + r * cols;
    if (n.op == Op::softmax) softmax(ur, cols, row);
    if (n.op == Op::layer_norm || n.op == Op::rms_norm) norm(n, ur, cols, row);
    if (n.op == Op::softmax_grad) softmax_grad(ur, wr, cols, row);
    if (n.op == Op::layer_norm_grad || n.op == Op::rms_norm_grad) norm_grad(n, ur, wr, cols, row);
  }
}

inline float Emulator::dot_at(const Network& network, const Node& n, std::size_t e, std::size_t r,
                              std::size_t j) {
  const auto arg = [&](std::size_t k, std::size_t at_e, std::size_t i) {
    return at(network, n, n.args[k], at_e, i);
  };
  const auto node = [&](std::size_t k) -> const Node& { return network.node(n.args[k]); };
  Floats a, b;
  if (n.op == Op::linear) {
    const std::size_t k = node(0).shape.cols;
    for (std::size_t l = 0; l < k; ++l) {
      a.push_back(arg(0, e, r * k + l));
      b.push_back(arg(1, e, j * k + l));
    }
    const float bias = n.arity == 3 ? arg(2, e, j) : 0;
    return dot(a, b, n.arity == 3 ? &bias : nullptr);
  }
  const Shape sa = node(0).shape, sb = node(1).shape;
  const std::size_t k = n.transpose_a ? sa.rows : sa.cols;
  for (std::size_t l = 0; l < k; ++l) {
    a.push_back(arg(0, e, n.transpose_a ? l * sa.cols + r : r * sa.cols + l));
    b.push_back(arg(1, e, n.transpose_b ? j * sb.cols + l : l * sb.cols + j));
  }
  return dot(a, b, nullptr, k > 1 || arithmetic_.outer_by_matmul);
}

inline float Emulator::element(const Network& network, const Node& n, std::size_t e, std::size_t r,
                               std::size_t j) {
  const auto arg = [&](std::size_t k, std::size_t at_e, std::size_t i) {
    return at(network, n, n.args[k], at_e, i);
  };
  const auto node = [&](std::size_t k) -> const Node& { return network.node(n.args[k]); };
  const std::size_t cols = n.shape.cols, size = n.shape.size(), i = r * cols + j;
  const std::size_t t = e % network.repeat();
  Floats a;
  float y = 0;
  switch (n.op) {
    case Op::linear:
    case Op::matmul:
      return dot_at(network, n, e, r, j);
    case Op::add:
    case Op::mul: {
      const float p = arg(0, e, node(0).shape.rows == 1 ? j : i);
      const float q = arg(1, e, node(1).shape.rows == 1 ? j : i);
      y = n.op == Op::add ? plus(p, q) : times(p, q);
      break;
    }
    case Op::concat: {
      const std::size_t left = node(0).shape.cols;
      y = j < left ? arg(0, e, r * left + j) : arg(1, e, r * node(1).shape.cols + j - left);
      break;
    }
    case Op::reshape:
      y = arg(0, e, i);
      break;
    case Op::derivative:
      y = round(slope(n.of, n.alpha, arg(0, e, i)));
      break;
    case Op::slice:
      y = arg(0, e, r * node(0).shape.cols + n.index + j);
      break;
    case Op::pad: {
      const std::size_t inner = node(0).shape.cols;
      const bool inside = j >= n.index && j < n.index + inner;
      y = inside ? arg(0, e, r * inner + j - n.index) : 0;
      break;
    }
    case Op::sum_rows:
      for (std::size_t l = 0; l < node(0).shape.rows; ++l) a.push_back(arg(0, e, l * cols + j));
      y = sum(a);
      break;
    case Op::basis:
      y = network.repeat() == size ? i == t : j == t;
      break;
    case Op::unit_tangents: {
      const std::size_t k = node(0).shape.cols;
      y = t / k == j ? arg(0, e, r * k + t % k) : 0;
      break;
    }
    default:
      if (is_activation(n.op)) y = round(function(n.op, n.alpha, arg(0, e, i)));
  }
  return y;
}

inline void Emulator::evaluate(const Network& network, NodeId id, std::size_t batch) {
  arithmetic_ = layered_.at(id);
  compute(network, id, batch);
  const Op op = network.node(id).op;
  const bool moves = op == Op::concat || op == Op::reshape || op == Op::slice || op == Op::pad ||
                     op == Op::basis || op == Op::unit_tangents;
  if (moves) return;
  for (float& y : values_[id]) y = static_cast<float>(round_to(y, arithmetic_.keep));
}

inline void Emulator::compute(const Network& network, NodeId id, std::size_t batch) {
  const Node& n = network.node(id);
  Floats& y = values_[id];
  const std::size_t entries = network.entries(n, batch);
  const std::size_t size = n.shape.size();
  y.assign(entries * size, 0);
  if (n.op == Op::outer_sum || n.op == Op::batch_sum) return batch_sums(network, n, batch, y);
  const bool by_row = (n.op >= Op::softmax && n.op <= Op::rms_norm) ||
                      (n.op >= Op::softmax_grad && n.op <= Op::rms_norm_grad);
  for (std::size_t e = 0; e < entries; ++e) {
    float* values = y.data() + e * size;
    if (by_row) {
      row_functions(network, n, e, values);
      continue;
    }
    for (std::size_t i = 0; i < size; ++i)
      values[i] = element(network, n, e, i / n.shape.cols, i % n.shape.cols);
  }
}

}  // namespace ulpfuzz::bounds::testing
