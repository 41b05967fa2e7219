#include "blas_operand.hpp"

#include <algorithm>
#include <utility>

namespace ulpfuzz::gpu {
namespace {

// BLAS demands it of empty lines too.
std::size_t at_least_one(std::size_t n) { return std::max<std::size_t>(1, n); }

// Rows of a matrix of which they are lines. A single row may have any stride, and so may the
// elements of rows of one.
bool rows_are_lines(const Matrix& m) {
  return (m.column == 1 || m.columns <= 1) && (m.rows <= 1 || m.row >= at_least_one(m.columns));
}

Matrix transpose(Matrix m) {
  std::swap(m.rows, m.columns);
  std::swap(m.row, m.column);
  return m;
}

BlasOperand by_rows(const Matrix& m, bool transposed) {
  return {.data = m.data,
          .transposed = transposed,
          .ld = m.rows <= 1 ? at_least_one(m.columns) : m.row,
          .entry = m.shared() ? 0 : m.entry,
          .repeat = m.shared() ? 1 : m.repeat};
}

}  // namespace

Matrix Matrix::left_of(const kernels::Product& p) {
  return {p.a, p.m, p.k, p.a_row, p.a_step, p.entries, p.a_entry, p.a_repeat};
}

Matrix Matrix::right_of(const kernels::Product& p) {
  return {p.b, p.k, p.n, p.b_step, p.b_column, p.entries, p.b_entry, p.b_repeat};
}

std::optional<BlasOperand> in_place(const Matrix& m) {
  if (rows_are_lines(m)) return by_rows(m, false);
  if (rows_are_lines(transpose(m))) return by_rows(transpose(m), true);
  return std::nullopt;
}

BlasOperand packed(Session& session, const Matrix& matrix, Format format) {
  const bool transposed = !rows_are_lines(matrix) && rows_are_lines(transpose(matrix));
  const Matrix m = transposed ? transpose(matrix) : matrix;
  const std::size_t stored = m.shared() ? 1 : (m.entries + m.repeat - 1) / m.repeat;
  const std::size_t bytes = format == Format::fp32 ? 4 : 2;
  const std::size_t size = m.rows * m.columns;
  float* const to = session.scratch((stored * size * bytes + 3) / 4);
  session.launch(kernels::Pack{.x = m.data,
                               .x_row = m.row,
                               .x_column = m.column,
                               .x_entry = m.entry,
                               .entries = stored,
                               .rows = m.rows,
                               .columns = m.columns,
                               .to = format,
                               .y = to});
  return {.data = to,
          .element = bytes,
          .transposed = transposed,
          .ld = at_least_one(m.columns),
          .entry = m.shared() ? 0 : size,
          .repeat = m.shared() ? 1 : m.repeat};
}

}  // namespace ulpfuzz::gpu
