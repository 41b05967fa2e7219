#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "moves.hpp"
#include "plan.hpp"
#include "ulpfuzz/kernels/norm.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz {

/// Evaluates a network node by node with the kernels of `kernels`, which has the member functions
/// that KernelSubject has hooks, for the numbers of the plan; `Values` is Plan<T> or offers what it
/// does. Kernels may also have
///   visit(NodeId)                           is told which node the next call is for
///   sum_each(x, entries, rows, n, y)        `sum` of each entry
///   move(plan, node, y)                     ops that only move elements
/// and a plan skips(NodeId): nodes that another one's call has evaluated.
template <class Values, class Kernels>
class Walker {
 public:
  using T = typename Values::Number;

  Walker(const Kernels& kernels, const Values& plan) : kernels_(kernels), plan_(plan) {}

  void visit(NodeId id) const {
    const Node& n = plan_.node(id);
    if constexpr (requires { plan_.skips(id); }) {
      if (plan_.skips(id)) return;
    }
    T* y = plan_.result(id);
    if constexpr (requires { kernels_.visit(id); }) kernels_.visit(id);
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
        return kernels_.softmax_grad(dense(n, 0), dense(n, 1), rows(n), n.shape.cols, y);
      case Op::layer_norm_grad:
        return kernels_.layer_norm_grad(dense(n, 0), dense(n, 1), n.alpha, rows(n), n.shape.cols,
                                        y);
      case Op::rms_norm_grad:
        return kernels_.rms_norm_grad(dense(n, 0), dense(n, 1), n.alpha, rows(n), n.shape.cols, y);
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
    const std::size_t entries = plan_.entries(n.axis);
    if constexpr (requires { kernels_.sum_each(y, entries, entries, entries, y); }) {
      kernels_.sum_each(arg(n, 0), entries, from.rows, from.cols, y);
    } else {
      for (std::size_t e = 0; e < entries; ++e)
        kernels_.sum(arg(n, 0) + e * from.size(), from.rows, from.cols, y + e * from.cols);
    }
  }

  void move(const Node& n, T* y) const {
    if constexpr (requires { kernels_.move(plan_, n, y); }) {
      kernels_.move(plan_, n, y);
    } else {
      move_elements(plan_, n, y);
    }
  }

  void outer_sum(const Node& n, T* y) const {
    const Node& a = operand(n, 0);
    const Node& b = operand(n, 1);
    const Axis axis = std::max(a.axis, b.axis);  // shared < batch < repeated
    kernels_.outer_sum(plan_.dense(n.args[0], axis, a.shape, 0),
                       plan_.dense(n.args[1], axis, b.shape, 1), plan_.entries(axis) * a.shape.rows,
                       n.shape.rows, n.shape.cols, y);
  }

  const Kernels& kernels_;
  const Values& plan_;
};

/// One evaluation. The plan is borrowed from the thread, so that a subject may evaluate another one
/// from within a hook.
template <class T, class Kernels>
void walk(const Evaluation& evaluation, const Kernels& kernels) {
  thread_local Plan<T> kept;
  Plan<T> plan = std::move(kept);
  plan.make(evaluation);
  const Walker<Plan<T>, Kernels> walker(kernels, plan);
  const auto count = static_cast<NodeId>(evaluation.network.nodes().size());
  for (NodeId id = 0; id < count; ++id) walker.visit(id);
  plan.write_outputs(evaluation);
  kept = std::move(plan);
}

}  // namespace ulpfuzz
