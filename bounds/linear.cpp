#include <cmath>

#include "rules.hpp"
#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

// One matrix product of one entry, as arrays and as operands with states.
struct Product {
  const Value* a = nullptr;
  const Value* b = nullptr;
  const Value* bias = nullptr;
  std::size_t a_at = 0, b_at = 0, y_at = 0;  // first elements
  std::size_t a_row = 0, a_step = 0;         // strides of the operands as they lie in a and b
  std::size_t b_step = 0, b_column = 0;
  std::size_t rows = 0, k = 0, n = 0;
  const double* row_sum = nullptr;  // where known: largest sum of magnitudes of each row
};

// Rows of finite operands whose sums stay far below overflow need no second look.
bool plainly_finite(const Product& p, std::size_t r, const Model& m) {
  if (!p.row_sum || !(p.row_sum[r] < m.omega / 4) || !p.b->clean || m.conversion > 0) return false;
  if (p.bias && !p.bias->clean) return false;
  for (std::size_t i = 0; i < p.k && !p.a->clean; ++i)
    if (p.a->state[p.a_at + r * p.a_row + i * p.a_step] != State::finite) return false;
  return true;
}

void settle_states(const Product& p, Value& y, const Model& m) {
  const bool converted = m.conversion > 0;
  for (std::size_t r = 0; r < p.rows; ++r) {
    if (plainly_finite(p, r, m)) continue;
    for (std::size_t j = 0; j < p.n; ++j) {
      ClassOfSum sum(m);
      for (std::size_t i = 0; i < p.k; ++i)
        sum.add_product(Operand::of(*p.a, p.a_at + r * p.a_row + i * p.a_step),
                        Operand::of(*p.b, p.b_at + i * p.b_step + j * p.b_column), converted);
      if (p.bias) sum.add(Operand::of(*p.bias, j));
      const std::size_t at = p.y_at + r * p.n + j;
      y.state[at] = sum.finish(y.value[at], y.error[at], y.variance[at], y.local[at]);
    }
  }
}

double row_max(const double* x, std::size_t n) {
  double m = 0;
  for (std::size_t j = 0; j < n; ++j) m = std::max(m, std::fabs(x[j]));
  return m;
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

void transpose(const double* from, std::size_t rows, std::size_t cols, std::vector<double>& to) {
  if (to.size() < rows * cols + slack) to.resize(rows * cols + slack);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) to[c * rows + r] = from[r * cols + c];
}

// Points the right operand of `call` at one entry of b, transposed into `copy` where asked for.
void set_right(DotCall& call, const Value& b, std::size_t at, bool flip, RightOperand& copy) {
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
  if (m.conversion == 0) return true;
  const double top = row_max(v.value.data() + entry * v.size(), v.size());
  return top < m.conversion_limit &&
         fits_grid(grid, top, m.operand_precision, m.operand_least_exponent);
}

// The exact tier for one entry of y made of entries ea and eb.
void settle_product(const Value& a, std::size_t ea, const Value& b, std::size_t eb, int bias_grid,
                    Value& y, std::size_t e, double magnitude, const Model& m) {
  const int ga = a.grid[ea];
  const int gb = b.grid[eb];
  if (ga == no_grid || gb == no_grid || bias_grid == no_grid) return;
  if (!survives_conversion(a, ea, ga, m) || !survives_conversion(b, eb, gb, m)) return;
  settle_on_grid(y, e, std::min(product_grid(ga, gb), bias_grid), magnitude, m);
}

double largest(const double* x, std::size_t n) {
  double m = 0;
  for (std::size_t i = 0; i < n; ++i) m = std::max(m, x[i]);
  return m;
}

bool converted_overflow(const DotCall& call, const Model& m) {
  return m.conversion > 0 && !(call.b_max < m.conversion_limit);
}

bool left_overflows(const Value& a, const Model& m) {
  if (m.conversion == 0) return false;
  for (std::size_t i = 0; i < a.count(); ++i)
    if (!(std::fabs(a.value[i]) + a.error[i] < m.conversion_limit)) return true;
  return false;
}

void finish_flags(Value& y) {
  y.error_free = true;
  for (std::size_t e = 0; e < y.entries && y.error_free; ++e) y.error_free = y.grid[e] != no_grid;
  if (!y.clean) y.error_free = false;
}

}  // namespace

void settle_on_grid(Value& y, std::size_t entry, int e, double magnitude, const Model& m) {
  if (!fits_grid(e, magnitude, m.precision, m.least_exponent) || !(magnitude < m.omega)) return;
  y.grid[entry] = e;
  y.zero_errors(entry);
}

void linear_rule(const Node&, Value& x, Value& weight, const Value* bias, Value& y, Context& c) {
  DotCall call{.rows = x.entries * x.rows, .k = x.cols, .n = weight.rows};
  set_left(call, x, 0, false);
  set_right(call, weight, 0, true, weight.transposed);
  if (bias) call.bias = bias->value.data();
  set_result(call, y, 0);
  bool safe = dot_rows(call, c.model, c.dot);
  const int bias_grid = bias ? bias->grid[0] : any_grid;
  if (weight.grid[0] != no_grid)
    for (std::size_t e = 0; e < y.entries; ++e)
      settle_product(x, e, weight, 0, bias_grid, y, e,
                     largest(c.dot.row_sum.data() + e * y.rows, y.rows), c.model);
  safe = safe && x.clean && weight.clean && (!bias || bias->clean) &&
         !converted_overflow(call, c.model) && !left_overflows(x, c.model);
  if (!safe) {
    y.make_dirty();
    settle_states({.a = &x,
                   .b = &weight,
                   .bias = bias,
                   .a_row = x.cols,
                   .a_step = 1,
                   .b_step = 1,
                   .b_column = weight.cols,
                   .rows = call.rows,
                   .k = call.k,
                   .n = call.n,
                   .row_sum = c.dot.row_sum.data()},
                  y, c.model);
  }
  finish_flags(y);
}

void matmul_rule(const Node& node, const Node& a_node, const Node& b_node, Value& a, Value& b,
                 Value& y, Context& c) {
  const EntryMap left = entry_map(a, a_node, node, c.repeat);
  const EntryMap right = entry_map(b, b_node, node, c.repeat);
  const std::size_t k = node.transpose_a ? a.rows : a.cols;
  bool safe = a.clean && b.clean && !left_overflows(a, c.model) && !left_overflows(b, c.model);
  const bool outer = k == 1;
  y.deviations = outer;
  RightOperand& copy = node.transpose_b ? b.transposed : b.straight;
  // With a shared right operand all entries are rows of one product.
  const bool whole =
      right.stride == 0 && left.stride != 0 && left.repeat == 1 && !node.transpose_a && !outer;
  const std::size_t calls = whole ? std::min<std::size_t>(1, y.entries) : y.entries;
  for (std::size_t e = 0; e < calls; ++e) {
    const std::size_t ea = left(e);
    const std::size_t eb = right(e);
    DotCall call{.rows = whole ? y.entries * y.rows : y.rows, .k = k, .n = y.cols};
    set_left(call, a, ea * left.stride, node.transpose_a);
    if (right.stride != 0 && (e == 0 || right(e - 1) != eb)) copy.ready = false;
    set_right(call, b, eb * right.stride, node.transpose_b, copy);
    set_result(call, y, e * y.size());
    safe = (outer ? outer_rows(call, c.model, c.dot) : dot_rows(call, c.model, c.dot)) && safe;
    if (whole) break;
    settle_product(a, ea, b, eb, any_grid, y, e, largest(c.dot.row_sum.data(), y.rows), c.model);
  }
  if (whole && b.grid[0] != no_grid)
    for (std::size_t e = 0; e < y.entries; ++e)
      settle_product(a, e, b, 0, any_grid, y, e, largest(c.dot.row_sum.data() + e * y.rows, y.rows),
                     c.model);
  if (!safe) {
    y.make_dirty();
    for (std::size_t e = 0; e < y.entries; ++e)
      settle_states({.a = &a,
                     .b = &b,
                     .a_at = left(e) * left.stride,
                     .b_at = right(e) * right.stride,
                     .y_at = e * y.size(),
                     .a_row = node.transpose_a ? 1 : a.cols,
                     .a_step = node.transpose_a ? a.cols : 1,
                     .b_step = node.transpose_b ? 1 : b.cols,
                     .b_column = node.transpose_b ? b.cols : 1,
                     .rows = y.rows,
                     .k = k,
                     .n = y.cols},
                    y, c.model);
  }
  finish_flags(y);
}

void outer_sum_rule(Value& a, Value& b, Value& y, Context& c) {
  DotCall call{.rows = a.cols, .k = a.entries * a.rows, .n = b.cols};
  set_left(call, a, 0, true);
  call.b = b.value.data();
  call.b_error = b.error_free ? nullptr : b.error.data();
  call.b_variance = b.variance.data();
  call.b_row = b.cols;
  set_column_max(call.b, call.k, call.n, b.straight.column_max, b.straight.max);
  call.column_max = b.straight.column_max.data();
  call.b_max = b.straight.max;
  set_result(call, y, 0);
  const bool safe = dot_rows(call, c.model, c.dot) && a.clean && b.clean &&
                    !left_overflows(a, c.model) && !left_overflows(b, c.model);
  int ga = any_grid, gb = any_grid;
  bool fits = true;
  for (std::size_t e = 0; e < a.entries; ++e) {
    ga = std::min(ga, a.grid[e]);
    gb = std::min(gb, b.grid[e]);
    fits = fits && survives_conversion(a, e, a.grid[e], c.model) &&
           survives_conversion(b, e, b.grid[e], c.model);
  }
  if (fits)
    settle_on_grid(y, 0, product_grid(ga, gb), largest(c.dot.row_sum.data(), call.rows), c.model);
  if (!safe) {
    y.make_dirty();
    settle_states({.a = &a,
                   .b = &b,
                   .a_row = 1,
                   .a_step = a.cols,
                   .b_step = b.cols,
                   .b_column = 1,
                   .rows = call.rows,
                   .k = call.k,
                   .n = call.n},
                  y, c.model);
  }
  finish_flags(y);
}

void sum_rule(const Value& x, std::size_t groups, std::size_t terms, Value& y, Context& c) {
  const std::size_t n = groups > 0 ? y.count() / groups : 0;
  bool safe = x.clean;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t from = g * terms * n;
    double top = 0;
    const ColumnSumCall call{.terms = terms,
                             .n = n,
                             .stride = n,
                             .x = x.value.data() + from,
                             .x_error = x.error_free ? nullptr : x.error.data() + from,
                             .x_variance = x.variance.data() + from,
                             .value = y.value.data() + g * n,
                             .error = y.error.data() + g * n,
                             .variance = y.variance.data() + g * n,
                             .local = y.local.data() + g * n};
    safe = column_sums(call, c.model, top) && safe;
    int grid = any_grid;
    const std::size_t entries = x.size() == n ? terms : 1;
    for (std::size_t e = 0; e < entries; ++e) grid = std::min(grid, x.grid[g * entries + e]);
    settle_on_grid(y, g, grid, top, c.model);
  }
  if (!safe) {
    y.make_dirty();
    for (std::size_t i = 0; i < y.count(); ++i) {
      ClassOfSum sum(c.model);
      const std::size_t from = i / n * terms * n + i % n;
      for (std::size_t t = 0; t < terms; ++t) sum.add(Operand::of(x, from + t * n));
      y.state[i] = sum.finish(y.value[i], y.error[i], y.variance[i], y.local[i]);
    }
  }
  finish_flags(y);
}

}  // namespace ulpfuzz::bounds
