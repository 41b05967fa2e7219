#pragma once

#include "rules.hpp"

namespace ulpfuzz::bounds {

/// One or more matrix products with common strides, as operands with states.
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

/// Classes of all results, term by term; for products that are not plainly finite.
void settle_product_states(const Product& p, Value& y, const Model& m);

/// from[rows, cols] as [cols, rows], readable beyond its end.
void transpose(const double* from, std::size_t rows, std::size_t cols, std::vector<double>& to);

/// Largest magnitude of each of the k rows of b [k, n], and of all.
void set_column_max(const double* b, std::size_t k, std::size_t n, std::vector<double>& to,
                    double& max);

/// Points the operands and results of `call` at one entry. The right operand is transposed into
/// `copy` where asked for, and converted where the model does, once until copy.forget().
void set_left(DotCall& call, const Value& a, std::size_t at, bool flip);
void set_right(DotCall& call, const Value& b, std::size_t at, bool flip, RightOperand& copy,
               const Model& m);
/// The part of that for operands that are as they should lie: call.b and call.b_error are set.
void set_converted(DotCall& call, RightOperand& copy, const Model& m);
void set_result(DotCall& call, Value& y, std::size_t at);

/// The model of a matmul of this inner dimension: outer products may have their own, made in
/// `plain`.
const Model& product_model(const Model& m, std::size_t inner, Model& plain);

/// Does converting the operands of this entry, on `grid`, change nothing?
bool survives_conversion(const Value& v, std::size_t entry, int grid, const Model& m);
/// The exact tier for entry e of y, made of entries ea and eb; `magnitude`: the largest sum.
void settle_product(const Value& a, std::size_t ea, const Value& b, std::size_t eb, int bias_grid,
                    Value& y, std::size_t e, double magnitude, const Model& m);

/// settle_on_grid for dot products, which units and partial sums may cut short.
void settle_dot_on_grid(Value& y, std::size_t entry, int e, double magnitude, const Model& m);

/// May a converted operand become infinite?
bool conversion_overflows(const Value& v, const Model& m);

/// What variances are multiplied by in a sum of `terms`.
inline double together(const Value& a, const Value& b, std::size_t terms) {
  return a.conspiring || b.conspiring ? static_cast<double>(std::max<std::size_t>(terms, 1)) : 1;
}

/// The same for a sum over rows.
inline double together_over_rows(const Value& a, const Value& b, std::size_t terms) {
  return a.alike || b.alike ? static_cast<double>(std::max<std::size_t>(terms, 1))
                            : together(a, b, terms);
}

/// Largest of n non-negative numbers.
double largest(const double* x, std::size_t n);
/// Sets y.error_free from its grids and states.
void finish_flags(Value& y);

}  // namespace ulpfuzz::bounds
