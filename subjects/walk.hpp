#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plan.hpp"
#include "ulpfuzz/kernels/norm.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz {

/// Evaluates a network node by node in numbers of type T with the kernels of `kernels`, which has
/// the member functions that KernelSubject has hooks, for T.
template <class T, class Kernels>
class Walker {
 public:
  Walker(const Kernels& kernels, const Plan<T>& plan) : kernels_(kernels), plan_(plan) {}

  void visit(NodeId id) const {
    const Node& n = plan_.node(id);
    T* y = plan_.result(id);
    switch (n.op) {
      case Op::input:
      case Op::parameter:
      case Op::reshape:
        return;
      case Op::linear:
        return linear(n, y);
      case Op::matmul:
        return matmul(n, y);
      case Op::add:
        return kernels_.add(dense(n, 0), dense(n, 1), plan_.elements(n), y);
      case Op::mul:
        return kernels_.mul(dense(n, 0), dense(n, 1), plan_.elements(n), y);
      case Op::softmax:
        return kernels_.softmax(arg(n, 0), rows(n), n.shape.cols, y);
      case Op::layer_norm:
        return kernels_.layer_norm(arg(n, 0), n.alpha, rows(n), n.shape.cols, y);
      case Op::rms_norm:
        return kernels_.rms_norm(arg(n, 0), n.alpha, rows(n), n.shape.cols, y);
      case Op::derivative:
        return kernels_.derivative(n.of, n.alpha, arg(n, 0), plan_.elements(n), y);
      case Op::sum_rows:
        return sum_rows(n, y);
      case Op::batch_sum: {
        const Node& x = plan_.node(n.args[0]);
        return kernels_.sum(arg(n, 0), plan_.entries(x.axis), n.shape.size(), y);
      }
      case Op::outer_sum:
        return outer_sum(n, y);
      case Op::concat:
      case Op::slice:
      case Op::pad:
      case Op::basis:
      case Op::unit_tangents:
        return move(n, y);
      case Op::softmax_grad:
      case Op::layer_norm_grad:
      case Op::rms_norm_grad:
        return gradient(n, y);
      default:
        return kernels_.activation(n.op, n.alpha, arg(n, 0), plan_.elements(n), y);
    }
  }

 private:
  const T* arg(const Node& n, int i) const { return plan_.value(n.args[i]); }
  const Node& operand(const Node& n, int i) const { return plan_.node(n.args[i]); }
  const T* dense(const Node& n, int i) const { return plan_.dense(n.args[i], n.axis, n.shape, i); }
  std::size_t rows(const Node& n) const { return plan_.entries(n.axis) * n.shape.rows; }

  void linear(const Node& n, T* y) const {
    const T* bias = n.arity == 3 ? arg(n, 2) : nullptr;
    kernels_.linear(arg(n, 0), arg(n, 1), bias, rows(n), operand(n, 0).shape.cols, n.shape.cols, y);
  }

  void matmul(const Node& n, T* y) const {
    const View<T> a = plan_.view(n.args[0], n.axis);
    const View<T> b = plan_.view(n.args[1], n.axis);
    const Shape left = operand(n, 0).shape;
    const MatmulCall call{.entries = plan_.entries(n.axis),
                          .m = n.shape.rows,
                          .k = n.transpose_a ? left.rows : left.cols,
                          .n = n.shape.cols,
                          .transpose_a = n.transpose_a,
                          .transpose_b = n.transpose_b,
                          .a_stride = a.stride,
                          .b_stride = b.stride,
                          .a_repeat = a.repeat,
                          .b_repeat = b.repeat};
    kernels_.matmul(call, a.data, b.data, y);
  }

  void sum_rows(const Node& n, T* y) const {
    const Shape from = operand(n, 0).shape;
    if (from.rows == 1) return;  // its operand's value
    for (std::size_t e = 0; e < plan_.entries(n.axis); ++e)
      kernels_.sum(arg(n, 0) + e * from.size(), from.rows, from.cols, y + e * from.cols);
  }

  void outer_sum(const Node& n, T* y) const {
    const Node& a = operand(n, 0);
    const Node& b = operand(n, 1);
    const Axis axis = std::max(a.axis, b.axis);  // shared < batch < repeated
    kernels_.outer_sum(plan_.dense(n.args[0], axis, a.shape, 0),
                       plan_.dense(n.args[1], axis, b.shape, 1), plan_.entries(axis) * a.shape.rows,
                       n.shape.rows, n.shape.cols, y);
  }

  void gradient(const Node& n, T* y) const {
    const View<T> v = plan_.view(n.args[0], n.axis);
    const View<T> x = plan_.view(n.args[1], n.axis);
    const std::size_t cols = n.shape.cols;
    for (std::size_t e = 0; e < plan_.entries(n.axis); ++e)
      for (std::size_t r = 0; r < n.shape.rows; ++r, y += cols) {
        const T* vr = v.entry(e) + r * cols;
        const T* xr = x.entry(e) + r * cols;
        if (n.op == Op::softmax_grad)
          kernels::softmax_grad_row(vr, xr, cols, y);
        else if (n.op == Op::layer_norm_grad)
          kernels::layer_norm_grad_row(vr, xr, n.alpha, cols, y);
        else
          kernels::rms_norm_grad_row(vr, xr, n.alpha, cols, y);
      }
  }

  /// Ops that only move elements: exact, the same for every subject.
  void move(const Node& n, T* y) const {
    switch (n.op) {
      case Op::concat:
        fill_columns(n, 0, 0, y);
        return fill_columns(n, 1, operand(n, 0).shape.cols, y);
      case Op::pad:
        std::fill_n(y, plan_.elements(n), T(0));
        return fill_columns(n, 0, n.index, y);
      case Op::slice:
        return take_columns(n, y);
      case Op::basis:
        return basis(n, y);
      default:
        return unit_tangents(n, y);
    }
  }

  /// Operand i to columns [start, start + its width) of y.
  void fill_columns(const Node& n, int i, std::size_t start, T* y) const {
    const View<T> from = plan_.view(n.args[i], n.axis);
    const std::size_t width = operand(n, i).shape.cols;
    for (std::size_t e = 0; e < plan_.entries(n.axis); ++e)
      for (std::size_t r = 0; r < n.shape.rows; ++r, y += n.shape.cols)
        std::copy_n(from.entry(e) + r * width, width, y + start);
  }

  void take_columns(const Node& n, T* y) const {
    const std::size_t width = operand(n, 0).shape.cols;
    const T* from = arg(n, 0) + n.index;
    for (std::size_t r = 0; r < rows(n); ++r)
      std::copy_n(from + r * width, n.shape.cols, y + r * n.shape.cols);
  }

  void basis(const Node& n, T* y) const {
    const std::size_t size = n.shape.size();
    std::fill_n(y, plan_.elements(n), T(0));
    const std::size_t repeat =
        plan_.entries(Axis::repeated) / std::max<std::size_t>(1, plan_.batch());
    for (std::size_t e = 0, t = 0; e < plan_.entries(n.axis); ++e, t = t + 1 == repeat ? 0 : t + 1)
      for (std::size_t i = t; i < size; i += repeat) y[e * size + i] = T(1);
  }

  void unit_tangents(const Node& n, T* y) const {
    const View<T> h = plan_.view(n.args[0], n.axis);
    const std::size_t k = operand(n, 0).shape.cols;
    const std::size_t repeat = k * n.shape.cols;
    std::fill_n(y, plan_.elements(n), T(0));
    for (std::size_t e = 0, t = 0; e < plan_.entries(n.axis); ++e, t = t + 1 == repeat ? 0 : t + 1)
      for (std::size_t r = 0; r < n.shape.rows; ++r)
        y[e * n.shape.size() + r * n.shape.cols + t / k] = h.entry(e)[r * k + t % k];
  }

  const Kernels& kernels_;
  const Plan<T>& plan_;
};

/// One evaluation. The plan is borrowed from the thread, so that a subject may evaluate another one
/// from within a hook.
template <class T, class Kernels>
void walk(const Evaluation& evaluation, const Kernels& kernels) {
  thread_local Plan<T> kept;
  Plan<T> plan = std::move(kept);
  plan.make(evaluation);
  const Walker<T, Kernels> walker(kernels, plan);
  const auto count = static_cast<NodeId>(evaluation.network.nodes().size());
  for (NodeId id = 0; id < count; ++id) walker.visit(id);
  plan.write_outputs(evaluation);
  kept = std::move(plan);
}

}  // namespace ulpfuzz
