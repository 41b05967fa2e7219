#include <algorithm>

#include "product.hpp"
#include "states.hpp"

namespace ulpfuzz::bounds {

void outer_sum_rule(Value& a, Value& b, Value& y, Context& c) {
  DotCall call{.rows = a.cols,
               .k = a.entries * a.rows,
               .n = b.cols,
               .together = together_over_rows(a, b, a.entries * a.rows)};
  set_left(call, a, 0, true);
  call.b = b.value.data();
  call.b_error = b.error_free ? nullptr : b.error.data();
  call.b_variance = b.variance.data();
  call.b_row = b.cols;
  set_column_max(call.b, call.k, call.n, b.straight.column_max, b.straight.max);
  call.column_max = b.straight.column_max.data();
  call.b_max = b.straight.max;
  Model plain;
  const Model& m = product_model(c.model, call.k, plain);
  call.apart = m.mixed || !m.outer_by_matmul;  // micro-batches choose apart; one row may be spared
  b.straight.converted_ready = false;
  set_converted(call, b.straight, m);
  set_result(call, y, 0);
  const bool safe = dot_rows(call, m, c.dot) && a.clean && b.clean && !conversion_overflows(a, m) &&
                    !conversion_overflows(b, m);
  int ga = any_grid, gb = any_grid;
  bool fits = true;
  for (std::size_t e = 0; e < a.entries; ++e) {
    ga = std::min(ga, a.grid[e]);
    gb = std::min(gb, b.grid[e]);
    fits =
        fits && survives_conversion(a, e, a.grid[e], m) && survives_conversion(b, e, b.grid[e], m);
  }
  if (fits)
    settle_dot_on_grid(y, 0, product_grid(ga, gb), largest(c.dot.row_sum.data(), call.rows), m);
  if (!safe) {
    y.make_dirty();
    settle_product_states({.a = &a,
                           .b = &b,
                           .a_row = 1,
                           .a_step = a.cols,
                           .b_step = b.cols,
                           .b_column = 1,
                           .rows = call.rows,
                           .k = call.k,
                           .n = call.n},
                          y, m);
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
                             .together = together_over_rows(x, x, terms),
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
