#include "product.hpp"

#include <cmath>

#include "conversion.hpp"
#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

// Rows of finite operands whose sums stay far below overflow need no second look.
bool plainly_finite(const Product& p, std::size_t r, const Model& m) {
  if (!p.row_sum || !(p.row_sum[r] < m.dot_omega / 4) || !p.b->clean || m.converts_operands)
    return false;
  if (p.bias && !p.bias->clean) return false;
  for (std::size_t i = 0; i < p.k && !p.a->clean; ++i)
    if (p.a->state[p.a_at + r * p.a_row + i * p.a_step] != State::finite) return false;
  return true;
}

double row_max(const double* x, std::size_t n) {
  double m = 0;
  for (std::size_t j = 0; j < n; ++j) m = std::max(m, std::fabs(x[j]));
  return m;
}

}  // namespace

void transpose(const double* from, std::size_t rows, std::size_t cols, std::vector<double>& to) {
  if (to.size() < rows * cols + slack) to.resize(rows * cols + slack);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) to[c * rows + r] = from[r * cols + c];
}

void settle_product_states(const Product& p, Value& y, const Model& m) {
  const bool converted = m.converts_operands;
  for (std::size_t r = 0; r < p.rows; ++r) {
    if (plainly_finite(p, r, m)) continue;
    for (std::size_t j = 0; j < p.n; ++j) {
      ClassOfSum sum(m, m.dot_omega);
      for (std::size_t i = 0; i < p.k; ++i)
        sum.add_product(Operand::of(*p.a, p.a_at + r * p.a_row + i * p.a_step),
                        Operand::of(*p.b, p.b_at + i * p.b_step + j * p.b_column), converted);
      if (p.bias) sum.add(Operand::of(*p.bias, j));
      const std::size_t at = p.y_at + r * p.n + j;
      y.state[at] = sum.finish(y.value[at], y.error[at], y.variance[at], y.local[at]);
    }
  }
}

void set_column_max(const double* b, std::size_t k, std::size_t n, std::vector<double>& to,
                    double& max) {
  to.resize(std::max(to.size(), k));
  max = 0;
  for (std::size_t i = 0; i < k; ++i) {
    to[i] = row_max(b + i * n, n);
    max = std::max(max, to[i]);
  }
}

void set_converted(DotCall& call, RightOperand& copy, const Model& m) {
  if (m.conversion == 0) return;
  const std::pair<Format, Rounding> wanted(m.operand, m.rounding);
  if (!copy.converted_ready || copy.conversion_of != wanted) {
    copy.converted_ready = true;
    copy.conversion_of = wanted;
    const std::size_t count = call.k * call.b_row;
    for (auto* x : {&copy.converted, &copy.conversion})
      if (x->size() < count + slack) x->resize(count + slack);
    const Converter convert(m);
    for (std::size_t i = 0; i < count; ++i) {
      const Converted c = converted(call.b[i], call.b_error ? call.b_error[i] : 0, convert);
      copy.converted[i] = c.value;
      copy.conversion[i] = c.half;
    }
  }
  call.b_converted = copy.converted.data();
  call.b_conversion = copy.conversion.data();
}

const Model& product_model(const Model& m, std::size_t inner, Model& plain) {
  if (inner != 1 || m.outer_by_matmul || !m.general) return m;
  return plain = without_matmul(m);
}

void set_right(DotCall& call, const Value& b, std::size_t at, bool flip, RightOperand& copy,
               const Model& m) {
  const std::size_t rows = b.rows;
  const std::size_t cols = b.cols;
  call.b = b.value.data() + at;
  call.b_error = b.error_free ? nullptr : b.error.data() + at;
  call.b_variance = b.variance.data() + at;
  call.b_row = flip ? rows : cols;
  if (!copy.ready) {
    if (flip) {
      transpose(call.b, rows, cols, copy.value);
      if (call.b_error) transpose(call.b_error, rows, cols, copy.error);
      if (call.b_error) transpose(call.b_variance, rows, cols, copy.variance);
    }
    const double* source = flip ? copy.value.data() : call.b;
    set_column_max(source, flip ? cols : rows, call.b_row, copy.column_max, copy.max);
    copy.ready = true;
  }
  if (flip) {
    call.b = copy.value.data();
    if (call.b_error) call.b_error = copy.error.data();
    call.b_variance = copy.variance.data();
  }
  call.column_max = copy.column_max.data();
  call.b_max = copy.max;
  set_converted(call, copy, m);
}

void set_left(DotCall& call, const Value& a, std::size_t at, bool flip) {
  call.a = a.value.data() + at;
  call.a_error = a.error_free ? nullptr : a.error.data() + at;
  call.a_variance = a.variance.data() + at;
  call.a_row = flip ? 1 : a.cols;
  call.a_step = flip ? a.cols : 1;
}

void set_result(DotCall& call, Value& y, std::size_t at) {
  call.value = y.value.data() + at;
  call.error = y.error.data() + at;
  call.variance = y.variance.data() + at;
  call.local = y.local.data() + at;
}

bool survives_conversion(const Value& v, std::size_t entry, int grid, const Model& m) {
  if (!m.converts_operands) return true;
  const double top = row_max(v.value.data() + entry * v.size(), v.size());
  return top < m.conversion_limit &&
         fits_grid(grid, top, m.operand_precision, m.operand_least_exponent);
}

void settle_product(const Value& a, std::size_t ea, const Value& b, std::size_t eb, int bias_grid,
                    Value& y, std::size_t e, double magnitude, const Model& m) {
  const int ga = a.grid[ea];
  const int gb = b.grid[eb];
  if (ga == no_grid || gb == no_grid || bias_grid == no_grid) return;
  if (!survives_conversion(a, ea, ga, m) || !survives_conversion(b, eb, gb, m)) return;
  settle_dot_on_grid(y, e, std::min(product_grid(ga, gb), bias_grid), magnitude, m);
}

double largest(const double* x, std::size_t n) {
  double m = 0;
  for (std::size_t i = 0; i < n; ++i) m = std::max(m, x[i]);
  return m;
}

bool conversion_overflows(const Value& a, const Model& m) {
  if (!m.converts_operands) return false;
  for (std::size_t i = 0; i < a.count(); ++i)
    if (!(std::fabs(a.value[i]) + a.error[i] < m.conversion_limit)) return true;
  return false;
}

void finish_flags(Value& y) {
  y.error_free = true;
  for (std::size_t e = 0; e < y.entries && y.error_free; ++e) y.error_free = y.grid[e] != no_grid;
  if (!y.clean) y.error_free = false;
}

namespace {

void settle(Value& y, std::size_t entry, int e) {
  y.grid[entry] = e;
  y.zero_errors(entry);
}

}  // namespace

void settle_on_grid(Value& y, std::size_t entry, int e, double magnitude, const Model& m) {
  if (fits_grid(e, magnitude, m.precision, m.least_exponent) && magnitude < m.omega)
    settle(y, entry, e);
}

void settle_dot_on_grid(Value& y, std::size_t entry, int e, double magnitude, const Model& m) {
  if (fits_grid(e, magnitude, m.dot_precision, m.dot_least_exponent) && magnitude < m.dot_omega)
    settle(y, entry, e);
}

}  // namespace ulpfuzz::bounds
