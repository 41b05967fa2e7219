#include "typical.hpp"

#include <algorithm>
#include <cmath>

#include "conditional.hpp"
#include "typical_nodes.hpp"

namespace ulpfuzz::bounds {
namespace {

double square(double x) { return x * x; }

// Rounded once more, to nearest; nothing where what is rounded has no error and needs no rounding.
double narrowed(double value, double variance, bool exact, const Narrowing& to) {
  if (!to.active) return variance;
  if (to.conditional) return flip_variance(value, variance, to.format, Rounding::nearest_even);
  const double known = round_to(value, to.format) - value;
  if (exact) return square(known);
  const bool subnormal = std::fabs(value) < std::ldexp(1.0, traits(to.format).emin);
  const double lost = subnormal ? std::min(std::fabs(value), to.eta) : 0;
  return variance + square(rms_nearest * to.u * value) + square(lost);
}

// An estimate of the arithmetic, of two, in which a product errs more.
void product(const TypicalNode& n, Variances& v) {
  typical_product(n, v);
  if (!n.arithmetic.plain) return;
  std::vector<double>&local = v.local[n.id], &total = v.total[n.id];
  const std::vector<double> first = local, first_total = total;
  typical_product({n.network, n.values, *n.arithmetic.plain, n.node, n.id, n.conditional, n.kept},
                  v);
  for (std::size_t i = 0; i < local.size(); ++i) {
    local[i] = std::max(local[i], first[i]);
    total[i] = std::max(total[i], first_total[i]);
  }
}

bool row_function(Op op) {
  return (op >= Op::softmax && op <= Op::rms_norm) ||
         (op >= Op::softmax_grad && op <= Op::rms_norm_grad);
}

}  // namespace

void Typical::evaluate(const TypicalScene& s, NodeId id) {
  const Node& node = s.network.node(id);
  const NodeArithmetic& arithmetic = s.arithmetics.at(id);
  const bool conditional = s.conditional && !arithmetic.stated.mixed;
  const TypicalNode n{s.network, s.values, arithmetic, node, id, conditional, kept_};
  switch (node.op) {
    case Op::input:
    case Op::parameter:
    case Op::basis:
      return;
    case Op::linear:
    case Op::matmul:
    case Op::outer_sum:
      return product(n, variances_);
    case Op::sum_rows:
    case Op::batch_sum:
      return typical_sum(n, variances_);
    case Op::concat:
    case Op::reshape:
    case Op::slice:
    case Op::pad:
    case Op::unit_tangents:
      return typical_move(n, variances_);
    default:
      row_function(node.op) ? typical_rows(n, variances_) : typical_elements(n, variances_);
  }
}

void Typical::run(const TypicalScene& s) {
  const std::size_t nodes = s.network.nodes().size();
  variances_.local.resize(nodes);
  variances_.total.resize(nodes);
  kept_.assign(nodes, std::nullopt);
  for (NodeId id = 0; id < nodes; ++id) {
    const Value& y = s.values[id];
    auto& local = variances_.local[id];
    auto& total = variances_.total[id];
    local.assign(y.count() + slack, 0);
    total.assign(y.count() + slack, 0);
    evaluate(s, id);
    round_again(s, id);
  }
}

void Typical::round_again(const TypicalScene& s, NodeId id) {
  const Value& y = s.values[id];
  const Node& node = s.network.node(id);
  const NodeArithmetic& a = s.arithmetics.at(id);
  if (a.keep.active && computes(node.op)) kept_[id] = a.keep.format;
  const bool kept = s.arithmetics.keeps(s.network, id);
  auto& local = variances_.local[id];
  auto& total = variances_.total[id];
  for (std::size_t i = 0; i < y.count(); ++i) {
    if (y.state_of(i) != State::finite) total[i] = local[i] = 0;
    if (!kept) continue;
    const double before = total[i];
    total[i] = narrowed(y.value[i], before, before == 0, a.keep);
    local[i] = a.keep.conditional ? total[i] : local[i] + total[i] - before;
  }
}

std::span<const double> Typical::deviations(const TypicalScene& s, NodeId id,
                                            const Narrowing& store) {
  const Value& y = s.values[id];
  result_ = variances_.total[id];
  // Gradients are no forward op's, and a weight's would ask for elements^2 numbers to tell so.
  const bool gradient = s.network.node(id).axis == Axis::repeated;
  for (std::size_t e = 0; e < y.entries && !gradient; ++e)
    if (adjoint_.run_typical(s.network, s.values, id, e, variances_, s.cuts))
      std::copy(adjoint_.bounds().begin(), adjoint_.bounds().end(),
                result_.begin() + static_cast<std::ptrdiff_t>(e * y.size()));
  for (std::size_t i = 0; i < y.count(); ++i)
    result_[i] = std::sqrt(narrowed(y.value[i], result_[i], result_[i] == 0, store));
  return {result_.data(), y.count()};
}

}  // namespace ulpfuzz::bounds
