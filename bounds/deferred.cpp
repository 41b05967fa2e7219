#include "deferred.hpp"

#include <cmath>

#include "dot_coefficients.hpp"
#include "product.hpp"

namespace ulpfuzz::bounds {
namespace {

/// Products of factors below cannot overflow.
constexpr double safe_factor = 0x1p60;

/// For what the two ways of computing the same bound may differ in, 2^-50 of it.
constexpr double deflation = 1 - 0x1p-40;

struct RowFactors {
  double *per_size, *per_error, *constant, *first, *second;
};

ULPFUZZ_CLONES void set_rows(const double* value, const double* error, const double* variance,
                             std::size_t n, const DotCoefficients& k, const RowFactors& to) {
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fabs(value[i]);
    const double deviation = std::sqrt(variance[i]);
    const bool exact = (error[i] == 0) & ((value[i] == 0) | power_of_two(value[i]));
    const double u = exact ? 0 : k.of_sum;
    const double scale = inflation * deflation;
    to.per_size[i] = scale * (error[i] * (1 + u) + u * size);
    to.per_error[i] = scale * ((size + error[i]) * (1 + u));
    to.constant[i] = scale * (exact ? 0 : k.constant);
    const double own = u * size;
    const double larger = own > deviation ? own : deviation;
    const double smaller = own > deviation ? deviation : own;
    to.first[i] = deflation * (error[i] > 0 ? larger + 0.5 * smaller : own);
    to.second[i] = deflation * (size + deviation);
  }
}

ULPFUZZ_CLONES void square_roots(const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::sqrt(from[i]);
}

}  // namespace

bool Deferred::take(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
                    const Value& b, const Value& y, const Context& c) {
  taken_ = ready_ = false;
  if ((node.transpose_a ? a.rows : a.cols) != 1) return false;
  Model plain;
  const Model& m = product_model(c.model, 1, plain);
  if (!a.clean || !b.clean || m.general || m.daz > 0 || m.narrow || m.stores) return false;
  if (!all_below(a, safe_factor) || !all_below(b, safe_factor)) return false;
  left_ = entry_map(a, a_node, node, c.repeat);
  right_ = entry_map(b, b_node, node, c.repeat);
  for (std::size_t e = 0; e < y.entries; ++e)
    if (a.grid[left_(e)] != no_grid && b.grid[right_(e)] != no_grid) return false;
  a_ = &a;
  b_ = &b;
  rows_ = y.rows;
  cols_ = y.cols;
  return taken_ = true;
}

void Deferred::prepare(const Model& given) {
  if (ready_) return;
  ready_ = true;
  Model plain;
  const Model& m = product_model(given, 1, plain);
  const std::size_t rows = a_->count();
  const std::size_t columns = b_->count() + slack;
  for (auto* x : {&per_size_, &per_error_, &constant_, &first_, &second_})
    if (x->size() < rows) x->resize(rows);
  if (zeros_.size() < rows + columns) zeros_.resize(rows + columns);
  if (deviation_.size() < columns) deviation_.resize(columns);
  const bool exact = a_->error_free;
  set_rows(a_->value.data(), exact ? zeros_.data() : a_->error.data(),
           exact ? zeros_.data() : a_->variance.data(), rows, dot_coefficients(m, 1, 0, false, 0),
           {per_size_.data(), per_error_.data(), constant_.data(), first_.data(), second_.data()});
  square_roots(b_->variance.data(), b_->count(), deviation_.data());
}

OuterBounds Deferred::bounds(std::size_t entry, const Model& m) {
  prepare(m);
  const std::size_t i = left_(entry) * left_.stride;
  const std::size_t j = right_(entry) * right_.stride;
  return {rows_,
          cols_,
          a_->value.data() + i,
          per_size_.data() + i,
          per_error_.data() + i,
          constant_.data() + i,
          first_.data() + i,
          second_.data() + i,
          b_->value.data() + j,
          b_->error_free ? zeros_.data() : b_->error.data() + j,
          b_->error_free ? zeros_.data() : deviation_.data() + j};
}

void Deferred::elements(std::size_t entry, Value& y, Context& c) const {
  const std::size_t at = right_(entry) * right_.stride;
  DotCall call{.rows = rows_, .k = 1, .n = cols_};
  set_left(call, *a_, left_(entry) * left_.stride, true);
  call.a_row = 1;
  call.b = b_->value.data() + at;
  call.b_error = b_->error_free ? nullptr : b_->error.data() + at;
  call.b_variance = b_->variance.data() + at;
  call.b_row = cols_;
  set_result(call, y, 0);
  y.deviations = true;
  Model plain;
  outer_rows(call, product_model(c.model, 1, plain), c.dot);
}

}  // namespace ulpfuzz::bounds
