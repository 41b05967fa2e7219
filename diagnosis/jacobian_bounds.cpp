#include <algorithm>
#include <cmath>
#include <limits>

#include "jacobian.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// Multiply-adds up to which jvp networks are bounded too, a row.
constexpr double most_work = 3e8;
constexpr double infinite = std::numeric_limits<double>::infinity();

double forward_work(const Network& forward, const Layout& layout) {
  double widths = 0;
  for (const Node& node : forward.nodes())
    if (node.axis == Axis::batch) widths += static_cast<double>(node.shape.size());
  double products = 0;
  for (const NodeId id : forward.parameters())
    products += static_cast<double>(forward.node(id).shape.size());
  return static_cast<double>(layout.elements) * (products + 8 * widths);
}

std::vector<float> identity(std::size_t n) {
  std::vector<float> one_hot(n * n, 0.0f);
  for (std::size_t i = 0; i < n; ++i) one_hot[i * n + i] = 1.0f;
  return one_hot;
}

/// The derivative network whose backward pass reads a second set of parameters, after the first.
Network reading_second_set(const Network& derivative) {
  Network result;
  result.set_repeat(derivative.repeat());
  std::vector<NodeId> places, second(derivative.nodes().size());
  // Leaves first, so that all parameters of the first set have the lower numbers.
  std::vector<NodeId> leaves(derivative.nodes().size());
  for (const auto* list : {&derivative.inputs(), &derivative.parameters()})
    for (const NodeId id : *list) leaves[id] = result.append(derivative.node(id));
  for (const NodeId id : derivative.parameters()) second[id] = result.append(derivative.node(id));
  for (NodeId at = 0; at < derivative.nodes().size(); ++at) {
    Node node = derivative.node(at);
    if (node.op == Op::input || node.op == Op::parameter) {
      places.push_back(leaves[at]);
      continue;
    }
    for (std::size_t i = 0; i < node.arity; ++i) {
      const bool parameter = derivative.node(node.args[i]).op == Op::parameter;
      const bool backward = node.axis == Axis::repeated && parameter;
      node.args[i] = backward ? second[node.args[i]] : places[node.args[i]];
    }
    places.push_back(result.append(node));
  }
  for (const NodeId id : derivative.outputs()) result.output(places[id]);
  return result;
}

bool bounded(bounds::Judgement j) {
  return j == bounds::Judgement::usable || j == bounds::Judgement::exact;
}

}  // namespace

bounds::AnalysisOptions analysis_options(const Network& forward) {
  double work = 0;
  double layers = 0;
  for (const Node& node : forward.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    const double width = static_cast<double>(node.shape.size());
    work += width * width * width;
    ++layers;
  }
  return {.matrix_adjoint = layers > 2 && layers * work < 2e8};
}

struct RowJudge::Impl {
  /// A derivative network as it is and with slopes as inputs.
  struct Derived {
    Network plain;
    MaskedNetwork masked;
    Derived(Network n, const Network& forward)
        : plain(std::move(n)), masked(with_slopes_as_inputs(plain, forward)) {}
  };

  const Network& forward;
  std::vector<Tensor> both_sets;
  std::span<const Tensor> parameters;
  Layout layout;
  bounds::AnalysisOptions options;
  std::vector<Derived> reverse;   ///< one, or none for outputs
  std::vector<Derived> tangents;  ///< one a block, or none
  std::vector<float> cotangents;
  bounds::Analysis analysis;
  RowBounds row;

  Impl(const Network& f, std::span<const Tensor> p, Quantity quantity,
       std::span<const Tensor> backward)
      : forward(f), parameters(p), layout(layout_of(f, quantity, 1)), options(analysis_options(f)) {
    if (quantity == Quantity::outputs) return;
    Network gradient = vjp(f, static_cast<std::uint32_t>(layout.outputs));
    if (!backward.empty()) {
      both_sets.assign(p.begin(), p.end());
      both_sets.insert(both_sets.end(), backward.begin(), backward.end());
      parameters = both_sets;
      gradient = reading_second_set(gradient);
    }
    reverse.emplace_back(std::move(gradient), f);
    cotangents = identity(layout.outputs);
  }

  void take(const bounds::OutputBounds& b, std::size_t from, std::size_t to) {
    row.reference[to] = b.reference[from];
    row.sound[to] = bounded(b.judgement[from]) ? b.sound[from] : infinite;
    row.sigma[to] = b.sigma[from];
  }

  void run_outputs(std::span<const float* const> inputs) {
    analysis.run(forward, parameters, 1, inputs, {}, {}, options);
    analysis.refine(0);
    const bounds::OutputBounds b = analysis.output(0);
    for (std::size_t i = 0; i < layout.outputs; ++i) take(b, i, i);
    const std::span<const double> typical = analysis.typical(0);
    std::copy(typical.begin(), typical.end(), row.typical.begin());
  }

  void analyse(const Derived& d, std::span<const float* const> inputs, const Slopes* slopes) {
    std::vector<const float*> all(inputs.begin(), inputs.end());
    if (all.size() < d.plain.inputs().size()) all.push_back(cotangents.data());
    if (!slopes) return analysis.run(d.plain, parameters, 1, all, {}, {}, options);
    std::vector<const float*> given;
    for (const MaskedNetwork::Source& s : d.masked.inputs)
      given.push_back(s.slopes ? (*slopes)[s.index].data() : all[s.index]);
    analysis.run(d.masked.network, parameters, 1, given, {}, {}, options);
  }

  void run_reverse(std::span<const float* const> inputs, const Slopes* slopes) {
    analyse(reverse.front(), inputs, slopes);
    for (const Layout::Block& block : layout.blocks) {
      for (std::size_t o = 0; o < layout.outputs; ++o) {
        const bounds::OutputBounds b = analysis.entry_output(block.gradient, o);
        const std::size_t to = o * layout.elements + block.first;
        for (std::size_t i = 0; i < block.shape.size(); ++i) take(b, i, to + i);
      }
    }
    // Last: outputs are valid until the typical deviations are asked for.
    for (const Layout::Block& block : layout.blocks) {
      const std::size_t size = block.shape.size();
      const std::span<const double> typical = analysis.typical(block.gradient);
      if (typical.empty()) continue;
      for (std::size_t o = 0; o < layout.outputs; ++o)
        std::copy_n(
            typical.begin() + static_cast<std::ptrdiff_t>(o * size), size,
            row.typical.begin() + static_cast<std::ptrdiff_t>(o * layout.elements + block.first));
    }
  }

  void run_tangents(std::size_t which, std::span<const float* const> inputs, const Slopes* slopes) {
    const Layout::Block& block = layout.blocks[which];
    analyse(tangents[which], inputs, slopes);
    const bounds::OutputBounds b = analysis.output(0);
    for (std::size_t t = 0; t < block.shape.size(); ++t) {
      for (std::size_t o = 0; o < layout.outputs; ++o) {
        const std::size_t from = t * layout.outputs + o;
        const std::size_t to = o * layout.elements + block.first + t;
        const double sound = bounded(b.judgement[from]) ? b.sound[from] : infinite;
        row.sound[to] = std::max(row.sound[to], sound);
        row.sigma[to] = std::max(row.sigma[to], b.sigma[from]);
      }
    }
  }
};

RowJudge::RowJudge(const Network& forward, std::span<const Tensor> parameters, Quantity quantity,
                   bool with_forward_mode, std::span<const Tensor> backward)
    : impl_(std::make_unique<Impl>(forward, parameters, quantity, backward)) {
  const Layout& layout = impl_->layout;
  if (quantity == Quantity::outputs || !with_forward_mode) return;
  if (forward_work(forward, layout) > most_work) return;
  for (const Layout::Block& block : layout.blocks)
    impl_->tangents.emplace_back(jvp(forward, block.gradient), forward);
}

RowJudge::~RowJudge() = default;
RowJudge::RowJudge(RowJudge&&) noexcept = default;

bool RowJudge::covers_forward_mode() const {
  return impl_->reverse.empty() || !impl_->tangents.empty();
}

const RowBounds& RowJudge::run(std::span<const float* const> inputs, const Slopes* slopes) {
  Impl& s = *impl_;
  for (auto* part : {&s.row.reference, &s.row.sound, &s.row.sigma, &s.row.typical})
    part->assign(s.layout.row_size(), 0.0);
  if (s.reverse.empty())
    s.run_outputs(inputs);
  else
    s.run_reverse(inputs, slopes);
  for (std::size_t i = 0; i < s.tangents.size(); ++i) s.run_tangents(i, inputs, slopes);
  return s.row;
}

}  // namespace ulpfuzz::diagnosis
