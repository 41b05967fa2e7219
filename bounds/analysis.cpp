#include "ulpfuzz/bounds/analysis.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "analysis_impl.hpp"

namespace ulpfuzz::bounds {
namespace {

// Tells whether all are finite.
ULPFUZZ_CLONES bool widen(const float* from, std::size_t n, double* to) {
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = from[i];
    bad |= (std::bit_cast<std::uint32_t>(from[i]) & 0x7f800000u) == 0x7f800000u ? 1u : 0u;
  }
  return bad == 0;
}

void load_values(const float* from, Value& v) {
  const bool finite = widen(from, v.count(), v.value.data());
  v.zero_errors();
  for (std::size_t e = 0; e < v.entries; ++e) v.grid[e] = grid_of(from + e * v.size(), v.size());
  if (finite) return;
  v.make_dirty();
  for (std::size_t i = 0; i < v.count(); ++i)
    if (!std::isfinite(from[i])) v.state[i] = State::class_known;
}

}  // namespace

void Analysis::Impl::name_results() {
  const std::vector<NodeId>& outputs = network->outputs();
  result_count = outputs.size();
  if (results.size() < result_count) results.resize(result_count);
  only_result.assign(network->nodes().size(), nullptr);
  std::vector<Result*>& only = only_result;
  for (std::size_t i = 0; i < result_count; ++i) {
    results[i].node = outputs[i];
    results[i].outer.drop();
    only[outputs[i]] = &results[i];
  }
  for (const Node& node : network->nodes())
    for (const NodeId a : node.operands()) only[a] = nullptr;
  for (std::size_t i = 0; i < result_count; ++i)
    if (only[outputs[i]] != &results[i]) only[outputs[i]] = nullptr;
}

Result& Analysis::Impl::result(std::size_t index) {
  if (index >= result_count)
    throw std::invalid_argument("Analysis: output " + std::to_string(index) + " of " +
                                std::to_string(result_count));
  return results[index];
}

void Analysis::Impl::check_entry(const Result& r, std::size_t entry) const {
  const std::size_t entries = values[r.node].entries;
  if (entry >= entries)
    throw std::invalid_argument("Analysis: entry " + std::to_string(entry) + " of " +
                                std::to_string(entries));
}

void Analysis::Impl::complete(Result& r) {
  Value& v = values[r.node];
  if (r.outer.taken()) {
    r.outer.drop();
    multiply(network->node(r.node), v);
  }
  r.finish(v, context.model);
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
  s.name_results();
  for (NodeId id = 0; id < network.nodes().size(); ++id) s.evaluate(id, observed);
  for (std::size_t i = 0; i < s.result_count; ++i)
    if (!s.results[i].outer.taken()) s.complete(s.results[i]);
}

OutputBounds Analysis::output(std::size_t index) const {
  Result& r = impl_->result(index);
  if (r.outer.taken()) impl_->complete(r);
  return r.bounds(impl_->values[r.node]);
}

std::optional<OuterBounds> Analysis::outer(std::size_t index, std::size_t entry) const {
  Result& r = impl_->result(index);
  if (!r.outer.taken()) return std::nullopt;
  impl_->check_entry(r, entry);
  return r.outer.bounds(entry, impl_->context.model);
}

OutputBounds Analysis::entry_output(std::size_t index, std::size_t entry) const {
  Impl& s = *impl_;
  Result& r = s.result(index);
  const Value& v = s.values[r.node];
  s.check_entry(r, entry);
  if (!r.outer.taken()) return r.bounds(v).entry(entry, v.size());
  s.lone.reset(1, s.network->node(r.node).shape);
  r.outer.elements(entry, s.lone, s.context);
  s.lone_result.finish(s.lone, s.context.model);
  return s.lone_result.bounds(s.lone);
}

void Analysis::refine(std::size_t entry) {
  Impl& s = *impl_;
  if (s.result_count == 0) return;
  Result& r = s.results[0];
  s.check_entry(r, entry);
  if (r.outer.taken()) s.complete(r);
  Value& v = s.values[r.node];
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
