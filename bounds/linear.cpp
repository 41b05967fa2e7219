#include <cmath>

#include "product.hpp"

namespace ulpfuzz::bounds {
void linear_rule(const Node&, Value& x, Value& weight, const Value* bias, Value& y, Context& c) {
  DotCall call{.rows = x.entries * x.rows,
               .k = x.cols,
               .n = weight.rows,
               .together = together(x, weight, x.cols)};
  set_left(call, x, 0, false);
  set_right(call, weight, 0, true, weight.transposed, c.model);
  if (bias) call.bias = bias->value.data();
  set_result(call, y, 0);
  bool safe = dot_rows(call, c.model, c.dot);
  const int bias_grid = bias ? bias->grid[0] : any_grid;
  if (weight.grid[0] != no_grid)
    for (std::size_t e = 0; e < y.entries; ++e)
      settle_product(x, e, weight, 0, bias_grid, y, e,
                     largest(c.dot.row_sum.data() + e * y.rows, y.rows), c.model);
  safe = safe && x.clean && weight.clean && (!bias || bias->clean) &&
         !conversion_overflows(weight, c.model) && !conversion_overflows(x, c.model);
  if (!safe) {
    y.make_dirty();
    settle_product_states({.a = &x,
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
  const bool over_rows = (node.transpose_a && a.alike) || (!node.transpose_b && b.alike);
  const EntryMap left = entry_map(a, a_node, node, c.repeat);
  const EntryMap right = entry_map(b, b_node, node, c.repeat);
  const std::size_t k = node.transpose_a ? a.rows : a.cols;
  Model plain;
  const Model& m = product_model(c.model, k, plain);
  bool safe = a.clean && b.clean && !conversion_overflows(a, m) && !conversion_overflows(b, m);
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
    DotCall call{.rows = whole ? y.entries * y.rows : y.rows,
                 .k = k,
                 .n = y.cols,
                 .together = over_rows ? static_cast<double>(k) : together(a, b, k)};
    set_left(call, a, ea * left.stride, node.transpose_a);
    if (right.stride != 0 && (e == 0 || right(e - 1) != eb)) copy.forget();
    set_right(call, b, eb * right.stride, node.transpose_b, copy, m);
    set_result(call, y, e * y.size());
    safe = (outer ? outer_rows(call, m, c.dot) : dot_rows(call, m, c.dot)) && safe;
    if (whole) break;
    settle_product(a, ea, b, eb, any_grid, y, e, largest(c.dot.row_sum.data(), y.rows), m);
  }
  if (whole && b.grid[0] != no_grid)
    for (std::size_t e = 0; e < y.entries; ++e)
      settle_product(a, e, b, 0, any_grid, y, e, largest(c.dot.row_sum.data() + e * y.rows, y.rows),
                     m);
  if (!safe) {
    y.make_dirty();
    for (std::size_t e = 0; e < y.entries; ++e)
      settle_product_states({.a = &a,
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
                            y, m);
  }
  finish_flags(y);
}

}  // namespace ulpfuzz::bounds
