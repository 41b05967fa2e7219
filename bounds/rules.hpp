#pragma once

#include <span>

#include "dot.hpp"
#include "model.hpp"
#include "value.hpp"

namespace ulpfuzz::bounds {

/// What every rule needs besides its operands. A rule fills a Value that has been reset to the
/// result's shape: values, errors, variances, local errors, grids and states.
struct Context {
  Model model;
  std::uint32_t repeat = 1;
  DotScratch dot;
  std::vector<double> scratch;
  std::size_t undecided = 0;
  std::size_t contradicted = 0;
};

// Dot products and sums.
void linear_rule(const Node& node, Value& x, Value& weight, const Value* bias, Value& y,
                 Context& c);
void matmul_rule(const Node& node, const Node& a_node, const Node& b_node, Value& a, Value& b,
                 Value& y, Context& c);
void outer_sum_rule(Value& a, Value& b, Value& y, Context& c);
/// Sums groups of `terms` consecutive rows of x: sum_rows and batch_sum.
void sum_rule(const Value& x, std::size_t groups, std::size_t terms, Value& y, Context& c);

// Elementwise.
void add_rule(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
              const Value& b, Value& y, Context& c);
void mul_rule(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
              const Value& b, Value& y, Context& c);
void activation_rule(const Node& node, const Value& x, Value& y, Context& c);
/// observed: the z values that the evaluation computed, or empty.
void derivative_rule(const Node& node, const Value& x, std::span<const float> observed, Value& y,
                     Context& c);

// Row functions.
void softmax_rule(const Value& x, Value& y, Context& c);
void norm_rule(const Node& node, const Value& x, Value& y, Context& c);
void row_gradient_rule(const Node& node, const Node& v_node, const Node& x_node, const Value& v,
                       const Value& x, Value& y, Context& c);

// Moving elements: exact.
void concat_rule(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
                 const Value& b, Value& y, Context& c);
void reshape_rule(const Value& x, Value& y);
/// slice and pad
void columns_rule(const Node& node, const Value& x, Value& y);
void basis_rule(Value& y, Context& c);
void unit_tangents_rule(const Node& node, const Value& h, Value& y, Context& c);

/// |value| + error < limit everywhere; false for NaN.
bool all_below(const Value& y, double limit);

/// Entries of y that lie on grid `e` and whose sums stay below `magnitude` lose their errors.
void settle_on_grid(Value& y, std::size_t entry, int e, double magnitude, const Model& m);

}  // namespace ulpfuzz::bounds
