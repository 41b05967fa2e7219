#include "gpu_kernels.hpp"

#include <algorithm>

#include "../activation_dispatch.hpp"

namespace ulpfuzz::gpu {
namespace {

using kernels::Map;
using kernels::Norm;
using kernels::RowGradient;

// Operand i of a node to columns [start, start + its width) of y.
kernels::Move columns(const GpuPlan& plan, const Node& n, int i, std::size_t start, float* y) {
  const View<float> from = plan.view(n.args[i], n.axis);
  const std::size_t width = plan.node(n.args[i]).shape.cols;
  return {.x = from.data,
          .x_entry = from.stride,
          .repeat = from.repeat,
          .x_rows = std::max(n.shape.rows, 1u),
          .x_columns = width,
          .start = start,
          .width = width,
          .entries = plan.entries(n.axis),
          .rows = n.shape.rows,
          .columns = n.shape.cols,
          .y = y};
}

kernels::Move sliced(const GpuPlan& plan, const Node& n, float* y) {
  const std::size_t rows = plan.entries(n.axis) * n.shape.rows;
  return {.x = plan.value(n.args[0]),
          .x_rows = std::max<std::size_t>(rows, 1),
          .x_columns = plan.node(n.args[0]).shape.cols,
          .x_start = n.index,
          .width = n.shape.cols,
          .entries = 1,
          .rows = rows,
          .columns = n.shape.cols,
          .y = y};
}

kernels::Move basis(const GpuPlan& plan, const Node& n, float* y) {
  return {.kind = kernels::Move::Kind::basis,
          .period = std::max<std::size_t>(plan.repeat(), 1),
          .entries = plan.entries(Axis::repeated),
          .rows = n.shape.rows,
          .columns = n.shape.cols,
          .y = y};
}

kernels::Move unit_tangents(const GpuPlan& plan, const Node& n, float* y) {
  const View<float> h = plan.view(n.args[0], Axis::batch);
  const Shape from = plan.node(n.args[0]).shape;
  return {.kind = kernels::Move::Kind::unit_tangents,
          .x = h.data,
          .x_entry = h.stride,
          .x_rows = std::max(from.rows, 1u),
          .x_columns = from.cols,
          .width = from.cols,
          .entries = plan.entries(Axis::repeated),
          .rows = n.shape.rows,
          .columns = n.shape.cols,
          .y = y};
}

}  // namespace

void GpuKernels::multiply(kernels::Product product) const {
  if (const Node* phi = plan_.epilogue(node_)) {
    product.phi = phi_of(phi->op);
    product.alpha = phi->alpha;
  }
  profile_.multiply(work_, product);
}

void GpuKernels::linear(const float* x, const float* weight, const float* bias, std::size_t rows,
                        std::size_t k, std::size_t n, float* y) const {
  multiply({.m = rows,
            .n = n,
            .k = k,
            .a = x,
            .a_row = k,
            .a_step = 1,
            .b = weight,
            .b_step = 1,
            .b_column = k,
            .bias = bias,
            .y = y});
}

// Entries whose rows follow each other and share the right operand are one product.
void GpuKernels::matmul(const MatmulCall& c, const float* a, const float* b, float* y) const {
  const bool one =
      c.b_stride == 0 && c.a_stride != 0 && c.a_repeat == 1 && (!c.transpose_a || c.m == 1);
  const bool turned = c.transpose_a && !one;
  multiply({.m = one ? c.m * c.entries : c.m,
            .n = c.n,
            .k = c.k,
            .entries = one ? 1 : c.entries,
            .a = a,
            .a_row = turned ? 1 : c.k,
            .a_step = turned ? c.m : 1,
            .a_entry = c.a_stride,
            .a_repeat = c.a_repeat,
            .b = b,
            .b_step = c.transpose_b ? 1 : c.n,
            .b_column = c.transpose_b ? c.k : 1,
            .b_entry = c.b_stride,
            .b_repeat = c.b_repeat,
            .y = y});
}

void GpuKernels::outer_sum(const float* a, const float* b, std::size_t rows, std::size_t n,
                           std::size_t k, float* y) const {
  multiply({.m = n,
            .n = k,
            .k = rows,
            .a = a,
            .a_row = 1,
            .a_step = n,
            .b = b,
            .b_step = k,
            .b_column = 1,
            .y = y});
}

void GpuKernels::sum_each(const float* x, std::size_t entries, std::size_t rows, std::size_t n,
                          float* y) const {
  profile_.sum(work_, {.x = x, .entries = entries, .rows = rows, .n = n, .y = y});
}

void GpuKernels::activation(Op phi, float alpha, const float* x, std::size_t count,
                            float* y) const {
  work_.launch(Map{.phi = phi_of(phi), .alpha = alpha, .x = x, .count = count, .y = y});
}

void GpuKernels::derivative(Op phi, float alpha, const float* x, std::size_t count,
                            float* y) const {
  work_.launch(Map{.kind = Map::Kind::derivative,
                   .phi = phi_of(phi),
                   .alpha = alpha,
                   .x = x,
                   .count = count,
                   .y = y});
}

void GpuKernels::add(const float* a, const float* b, std::size_t count, float* y) const {
  work_.launch(Map{.kind = Map::Kind::add, .x = a, .z = b, .count = count, .y = y});
}

void GpuKernels::mul(const float* a, const float* b, std::size_t count, float* y) const {
  work_.launch(Map{.kind = Map::Kind::multiply, .x = a, .z = b, .count = count, .y = y});
}

void GpuKernels::softmax(const float* x, std::size_t rows, std::size_t n, float* y) const {
  profile_.softmax(work_, {.x = x, .rows = rows, .n = n, .y = y});
}

void GpuKernels::layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                            float* y) const {
  profile_.norm(work_, {.x = x, .epsilon = epsilon, .rows = rows, .n = n, .y = y});
}

void GpuKernels::rms_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                          float* y) const {
  profile_.norm(
      work_, {.kind = Norm::Kind::rms, .x = x, .epsilon = epsilon, .rows = rows, .n = n, .y = y});
}

void GpuKernels::softmax_grad(const float* v, const float* s, std::size_t rows, std::size_t n,
                              float* y) const {
  work_.launch(RowGradient{.v = v, .x = s, .rows = rows, .n = n, .y = y});
}

void GpuKernels::layer_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                                 std::size_t n, float* y) const {
  work_.launch(RowGradient{.of = RowGradient::Of::layer_norm,
                           .v = v,
                           .x = x,
                           .epsilon = epsilon,
                           .rows = rows,
                           .n = n,
                           .y = y});
}

void GpuKernels::rms_norm_grad(const float* v, const float* x, float epsilon, std::size_t rows,
                               std::size_t n, float* y) const {
  work_.launch(RowGradient{.of = RowGradient::Of::rms_norm,
                           .v = v,
                           .x = x,
                           .epsilon = epsilon,
                           .rows = rows,
                           .n = n,
                           .y = y});
}

void GpuKernels::move(const GpuPlan& plan, const Node& n, float* y) const {
  switch (n.op) {
    case Op::concat:
      work_.launch(columns(plan, n, 0, 0, y));
      return work_.launch(columns(plan, n, 1, plan.node(n.args[0]).shape.cols, y));
    case Op::pad:
      work_.device().fill(y, 0, plan.elements(n));
      return work_.launch(columns(plan, n, 0, n.index, y));
    case Op::slice:
      return work_.launch(sliced(plan, n, y));
    case Op::basis:
      return work_.launch(basis(plan, n, y));
    default:
      return work_.launch(unit_tangents(plan, n, y));
  }
}

}  // namespace ulpfuzz::gpu
