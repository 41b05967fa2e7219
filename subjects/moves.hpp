#pragma once

#include <algorithm>
#include <cstddef>

#include "plan.hpp"

namespace ulpfuzz {

/// Operand i of a node to columns [start, start + its width) of y.
template <class T>
void fill_columns(const Plan<T>& plan, const Node& n, int i, std::size_t start, T* y) {
  const View<T> from = plan.view(n.args[i], n.axis);
  const std::size_t width = plan.node(n.args[i]).shape.cols;
  for (std::size_t e = 0; e < plan.entries(n.axis); ++e)
    for (std::size_t r = 0; r < n.shape.rows; ++r, y += n.shape.cols)
      std::copy_n(from.entry(e) + r * width, width, y + start);
}

/// Columns [index, index + the node's width) of its operand to y.
template <class T>
void take_columns(const Plan<T>& plan, const Node& n, T* y) {
  const std::size_t width = plan.node(n.args[0]).shape.cols;
  const std::size_t rows = plan.entries(n.axis) * n.shape.rows;
  const T* from = plan.value(n.args[0]) + n.index;
  for (std::size_t r = 0; r < rows; ++r)
    std::copy_n(from + r * width, n.shape.cols, y + r * n.shape.cols);
}

/// Ones at element t of repeated entry t, or down column t: every repeat-th element from t on.
template <class T>
void fill_basis(const Plan<T>& plan, const Node& n, T* y) {
  const std::size_t size = n.shape.size();
  const std::size_t repeat = plan.repeat();
  std::fill_n(y, plan.elements(n), T(0));
  for (std::size_t b = 0; b < plan.batch(); ++b)
    for (std::size_t t = 0; t < repeat; ++t, y += size)
      for (std::size_t i = t; i < size; i += repeat) y[i] = T(1);
}

/// Repeated entry t = i k + j of a batch row: h[:,j] in column i.
template <class T>
void fill_unit_tangents(const Plan<T>& plan, const Node& n, T* y) {
  const View<T> h = plan.view(n.args[0], Axis::batch);
  const std::size_t k = plan.node(n.args[0]).shape.cols;
  std::fill_n(y, plan.elements(n), T(0));
  for (std::size_t b = 0; b < plan.batch(); ++b)
    for (std::size_t i = 0; i < n.shape.cols; ++i)
      for (std::size_t j = 0; j < k; ++j, y += n.shape.size())
        for (std::size_t r = 0; r < n.shape.rows; ++r)
          y[r * n.shape.cols + i] = h.entry(b)[r * k + j];
}

/// Ops that only move elements: exact, the same for every subject.
template <class T>
void move_elements(const Plan<T>& plan, const Node& n, T* y) {
  switch (n.op) {
    case Op::concat:
      fill_columns(plan, n, 0, 0, y);
      return fill_columns(plan, n, 1, plan.node(n.args[0]).shape.cols, y);
    case Op::pad:
      std::fill_n(y, plan.elements(n), T(0));
      return fill_columns(plan, n, 0, n.index, y);
    case Op::slice:
      return take_columns(plan, n, y);
    case Op::basis:
      return fill_basis(plan, n, y);
    default:
      return fill_unit_tangents(plan, n, y);
  }
}

}  // namespace ulpfuzz
