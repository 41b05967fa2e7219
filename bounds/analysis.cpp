#include "ulpfuzz/bounds/analysis.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "adjoint.hpp"
#include "rules.hpp"
#include "states.hpp"

namespace ulpfuzz::bounds {
namespace {

struct Result {
  NodeId node = 0;
  bool copied = false;
  std::vector<double> reference, error, local, sigma;
  std::vector<Judgement> judgement;
};

ULPFUZZ_CLONES void widen(const float* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = from[i];
}

void load_values(const float* from, Value& v) {
  widen(from, v.count(), v.value.data());
  v.zero_errors();
  bool finite = true;
  for (std::size_t i = 0; i < v.count(); ++i) finite = finite && std::isfinite(from[i]);
  for (std::size_t e = 0; e < v.entries; ++e) v.grid[e] = grid_of(from + e * v.size(), v.size());
  if (finite) return;
  v.make_dirty();
  for (std::size_t i = 0; i < v.count(); ++i)
    if (!std::isfinite(from[i])) v.state[i] = State::class_known;
}

Judgement judgement_of(State state, double error) {
  switch (state) {
    case State::class_known:
      return Judgement::nonfinite;
    case State::range:
      return Judgement::range;
    case State::unknown:
      return Judgement::no_bound;
    default:
      if (error == 0) return Judgement::exact;
      return std::isfinite(error) ? Judgement::usable : Judgement::no_bound;
  }
}

ULPFUZZ_CLONES void square_roots(const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = std::sqrt(from[i]);
}

ULPFUZZ_CLONES void judge_finite(const double* error, std::size_t n, Judgement* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = error[i] == 0 ? Judgement::exact : Judgement::usable;
}

}  // namespace

struct Analysis::Impl {
  const Network* network = nullptr;
  Context context;
  std::vector<Value> values;
  std::vector<Result> results;
  std::size_t result_count = 0;
  Adjoint adjoint;

  Value& operand(const Node& node, std::size_t i) {
    Value& v = values[node.args[i]];
    need_variance(v);
    return v;
  }
  const Node& operand_node(const Node& node, std::size_t i) const {
    return network->node(node.args[i]);
  }

  void evaluate(NodeId id, std::span<const ObservedKinks> observed);
  void evaluate_derivative(const Node& node, std::span<const ObservedKinks> observed, Value& y);
  void evaluate_sum(const Node& node, Value& y);
  void finish(Result& r);
  void store(Result& r, const Value& v);
};

void Analysis::Impl::evaluate_derivative(const Node& node, std::span<const ObservedKinks> observed,
                                         Value& y) {
  std::span<const float> seen;
  for (const ObservedKinks& o : observed)
    if (o.operand == node.args[0]) seen = o.values;
  derivative_rule(node, operand(node, 0), seen, y, context);
}

void Analysis::Impl::evaluate(NodeId id, std::span<const ObservedKinks> observed) {
  const Node& node = network->node(id);
  Value& y = values[id];
  Context& c = context;
  const auto arg = [&](std::size_t i) -> Value& { return operand(node, i); };
  const auto arg_node = [&](std::size_t i) -> const Node& { return operand_node(node, i); };
  switch (node.op) {
    case Op::input:
    case Op::parameter:
      return;
    case Op::linear: {
      const Value* bias = node.arity == 3 ? &arg(2) : nullptr;
      linear_rule(node, arg(0), arg(1), bias, y, c);
      break;
    }
    case Op::matmul:
      matmul_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::add:
      add_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::mul:
      mul_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::softmax:
      softmax_rule(arg(0), y, c);
      break;
    case Op::layer_norm:
    case Op::rms_norm:
      norm_rule(node, arg(0), y, c);
      break;
    case Op::concat:
      concat_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::reshape:
      reshape_rule(arg(0), y);
      break;
    case Op::derivative:
      evaluate_derivative(node, observed, y);
      break;
    case Op::softmax_grad:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      row_gradient_rule(node, arg_node(0), arg_node(1), arg(0), arg(1), y, c);
      break;
    case Op::slice:
    case Op::pad:
      columns_rule(node, arg(0), y);
      break;
    case Op::sum_rows:
    case Op::batch_sum:
    case Op::outer_sum:
      evaluate_sum(node, y);
      break;
    case Op::basis:
      return basis_rule(y, c);
    case Op::unit_tangents:
      unit_tangents_rule(node, arg(0), y, c);
      break;
    default:
      activation_rule(node, arg(0), y, c);
  }
  for (const NodeId a : node.operands()) y.ancestors |= values[a].ancestors;
  if (!y.error_free) y.ancestors |= std::uint64_t{1} << (id % 64);
}

void Analysis::Impl::evaluate_sum(const Node& node, Value& y) {
  Value& x = operand(node, 0);
  if (node.op == Op::outer_sum) {
    outer_sum_rule(x, operand(node, 1), y, context);
  } else if (node.op == Op::batch_sum) {
    sum_rule(x, 1, x.entries, y, context);
  } else {
    sum_rule(x, x.entries, x.rows, y, context);
  }
}

// Outputs are rounded once more where the arithmetic stores a narrower format than it computes.
void Analysis::Impl::store(Result& r, const Value& v) {
  const Model& m = context.model;
  const std::size_t n = v.count();
  r.reference.assign(v.value.begin(), v.value.begin() + static_cast<std::ptrdiff_t>(n));
  r.error.resize(n);
  r.local.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double reach = std::fabs(v.value[i]) + v.error[i];
    const bool exact =
        v.error[i] == 0 && fits_grid(v.grid[i / std::max<std::size_t>(v.size(), 1)], reach,
                                     m.store_precision, m.store_least_exponent);
    const double rounding = exact ? 0 : m.store_u * reach + m.store_eta;
    r.error[i] = (v.error[i] + rounding) * (exact ? 1 : inflation);
    r.local[i] = std::min(v.local[i] + rounding, r.error[i]);
    r.sigma[i] = std::sqrt(r.sigma[i] * r.sigma[i] + rounding * rounding);
    if (v.state_of(i) != State::finite) continue;
    const State s = state_of_result(r.reference[i], r.error[i], r.sigma[i], r.local[i],
                                    m.store_omega, m.store_overflow);
    r.judgement[i] = judgement_of(s, r.error[i]);
  }
}

void Analysis::Impl::finish(Result& r) {
  const Value& v = values[r.node];
  const std::size_t n = v.count();
  r.copied = context.model.stores;
  if (r.judgement.size() < n) r.judgement.resize(n);
  if (v.clean) {
    judge_finite(v.error.data(), n, r.judgement.data());
  } else {
    for (std::size_t i = 0; i < n; ++i) r.judgement[i] = judgement_of(v.state[i], v.error[i]);
  }
  if (!v.deviations || r.copied) {
    if (r.sigma.size() < n) r.sigma.resize(n);
    if (v.deviations) {
      std::copy_n(v.variance.begin(), n, r.sigma.begin());
    } else {
      square_roots(v.variance.data(), n, r.sigma.data());
    }
  }
  if (r.copied) store(r, v);
}

Analysis::Analysis() : impl_(std::make_unique<Impl>()) {}
Analysis::~Analysis() = default;

void Analysis::run(const Network& network, std::span<const Tensor> parameters, std::size_t batch,
                   std::span<const float* const> inputs, const Arithmetic& arithmetic,
                   std::span<const ObservedKinks> observed) {
  if (parameters.size() != network.parameters().size() || inputs.size() != network.inputs().size())
    throw std::invalid_argument("Analysis: " + std::to_string(parameters.size()) +
                                " parameters and " + std::to_string(inputs.size()) + " inputs; " +
                                std::to_string(network.parameters().size()) + " and " +
                                std::to_string(network.inputs().size()) + " would fit");
  Impl& s = *impl_;
  s.network = &network;
  s.context.model = model_of(arithmetic);
  s.context.repeat = network.repeat();
  s.context.undecided = s.context.contradicted = 0;
  if (s.values.size() < network.nodes().size()) s.values.resize(network.nodes().size());
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    s.values[id].reset(network.entries(network.node(id), batch), network.node(id).shape);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    load_values(parameters[i].data.data(), s.values[network.parameters()[i]]);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    load_values(inputs[i], s.values[network.inputs()[i]]);
  for (NodeId id = 0; id < network.nodes().size(); ++id) s.evaluate(id, observed);
  s.result_count = network.outputs().size();
  if (s.results.size() < s.result_count) s.results.resize(s.result_count);
  for (std::size_t i = 0; i < s.result_count; ++i) {
    s.results[i].node = network.outputs()[i];
    s.finish(s.results[i]);
  }
}

OutputBounds Analysis::output(std::size_t index) const {
  if (index >= impl_->result_count)
    throw std::invalid_argument("Analysis: output " + std::to_string(index) + " of " +
                                std::to_string(impl_->result_count));
  const Result& r = impl_->results[index];
  const Value& v = impl_->values[r.node];
  const std::size_t n = v.count();
  const bool own_sigma = !v.deviations || r.copied;
  return {.reference = {r.copied ? r.reference.data() : v.value.data(), n},
          .sound = {r.copied ? r.error.data() : v.error.data(), n},
          .sigma = {own_sigma ? r.sigma.data() : v.variance.data(), n},
          .local = {r.copied ? r.local.data() : v.local.data(), n},
          .judgement = {r.judgement.data(), n}};
}

void Analysis::refine(std::size_t entry) {
  Impl& s = *impl_;
  if (s.result_count == 0) return;
  Result& r = s.results[0];
  Value& v = s.values[r.node];
  if (entry >= v.entries)
    throw std::invalid_argument("Analysis: entry " + std::to_string(entry) + " of " +
                                std::to_string(v.entries));
  if (!s.adjoint.run(*s.network, s.values, r.node, entry, s.context)) return;
  const Model& m = s.context.model;
  std::vector<double>& error = r.copied ? r.error : v.error;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const std::size_t i = entry * v.size() + j;
    double bound = s.adjoint.bounds()[j];
    if (r.copied)
      bound = (bound + m.store_u * (std::fabs(v.value[i]) + bound) + m.store_eta) * inflation;
    const double local = r.copied ? r.local[i] : v.local[i];
    error[i] = std::min(error[i], std::max(bound, local));
  }
}

std::size_t Analysis::undecided_kinks() const { return impl_->context.undecided; }
std::size_t Analysis::contradicted_kinks() const { return impl_->context.contradicted; }

}  // namespace ulpfuzz::bounds
