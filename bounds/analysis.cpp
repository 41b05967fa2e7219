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
    use_arithmetic_of(r.node);
    multiply(network->node(r.node), v);
  }
  r.finish(v, store_of(r.node));
}

Narrowing Analysis::Impl::store_of(NodeId id) const {
  const NodeArithmetic& a = arithmetics.at(id);
  Narrowing store = a.store;
  if (!computes(network->node(id).op)) {
    // What is moved may come from anywhere, as wide as an input is.
    store.active = store.active || !fits(Format::fp32, store.format);
  } else if (a.keep.active && fits(a.keep.format, store.format)) {
    store.active = false;
  }
  return store;
}

// A converted operand and a result that is rounded in the reference too are no smooth functions.
void Analysis::Impl::mark_cuts() {
  cuts.clear();
  if (!options.conditional || !(arithmetics.converts() || arithmetics.keeps())) return;
  cuts.resize(network->nodes().size());
  for (NodeId id = 0; id < cuts.size(); ++id) {
    const NodeArithmetic& a = arithmetics.at(id);
    const Node& node = network->node(id);
    cuts[id] = a.converts_operands_of(*network, node, batch) ||
               (a.keep.conditional && arithmetics.keeps(*network, id));
  }
}

void Analysis::Impl::start(const LayeredArithmetic& stated) {
  arithmetics.set(stated, network->nodes().size(), options.conditional);
  arithmetic = &arithmetics.everywhere();
  context.model = arithmetic->model;
  context.repeat = network->repeat();
  context.undecided = context.contradicted = 0;
  mark_cuts();
}

Analysis::Analysis() : impl_(std::make_unique<Impl>()) {}
Analysis::~Analysis() = default;

void Analysis::run(const Network& network, std::span<const Tensor> parameters, std::size_t batch,
                   std::span<const float* const> inputs, const LayeredArithmetic& arithmetic,
                   std::span<const ObservedKinks> observed, const AnalysisOptions& options) {
  if (parameters.size() != network.parameters().size() || inputs.size() != network.inputs().size())
    throw std::invalid_argument("Analysis: " + std::to_string(parameters.size()) +
                                " parameters and " + std::to_string(inputs.size()) + " inputs; " +
                                std::to_string(network.parameters().size()) + " and " +
                                std::to_string(network.inputs().size()) + " would fit");
  Impl& s = *impl_;
  s.network = &network;
  s.batch = batch;
  s.options = options;
  s.typical_ready = false;
  s.start(arithmetic);
  if (s.values.size() < network.nodes().size()) s.values.resize(network.nodes().size());
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    s.values[id].reset(network.entries(network.node(id), batch), network.node(id).shape);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    load_values(parameters[i].data.data(), s.values[network.parameters()[i]]);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    load_values(inputs[i], s.values[network.inputs()[i]]);
  s.name_results();
  s.variances.local.resize(network.nodes().size());
  s.variances.total.resize(network.nodes().size());
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
  impl_->use_arithmetic_of(r.node);
  return r.outer.bounds(entry, impl_->context.model);
}

OutputBounds Analysis::entry_output(std::size_t index, std::size_t entry) const {
  Impl& s = *impl_;
  Result& r = s.result(index);
  const Value& v = s.values[r.node];
  s.check_entry(r, entry);
  if (!r.outer.taken()) return r.bounds(v).entry(entry, v.size());
  s.use_arithmetic_of(r.node);
  s.lone.reset(1, s.network->node(r.node).shape);
  r.outer.elements(entry, s.lone, s.context);
  s.lone_result.finish(s.lone, s.store_of(r.node));
  return s.lone_result.bounds(s.lone);
}

void Analysis::refine(std::size_t entry) {
  Impl& s = *impl_;
  if (s.result_count == 0) return;
  Result& r = s.results[0];
  s.check_entry(r, entry);
  if (s.network->node(r.node).axis != Axis::batch) return;
  if (r.outer.taken()) s.complete(r);
  Value& v = s.values[r.node];
  if (!s.adjoint.run(*s.network, s.values, r.node, entry, s.cuts)) return;
  const Narrowing store = s.store_of(r.node);
  std::vector<double>& error = r.copied ? r.error : v.error;
  for (std::size_t j = 0; j < v.size(); ++j) {
    const std::size_t i = entry * v.size() + j;
    Element x{v.value[i], std::max(s.adjoint.bounds()[j], v.local[i]), v.local[i], 0};
    if (r.copied) store.round(x);
    error[i] = std::min(error[i], x.error);
    if (r.copied) r.local[i] = std::min(r.local[i], error[i]);
  }
}

std::span<const double> Analysis::typical(std::size_t index) {
  Impl& s = *impl_;
  const Result& r = s.result(index);
  for (std::size_t i = 0; i < s.result_count; ++i)
    if (s.results[i].outer.taken()) s.complete(s.results[i]);
  if (!s.typical_ready) s.typical.run(s.scene());
  s.typical_ready = true;
  return s.typical.deviations(s.scene(), r.node, s.store_of(r.node));
}

std::size_t Analysis::undecided_kinks() const { return impl_->context.undecided; }
std::size_t Analysis::contradicted_kinks() const { return impl_->context.contradicted; }

}  // namespace ulpfuzz::bounds
