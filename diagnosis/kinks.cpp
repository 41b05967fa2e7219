#include "kinks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::diagnosis {
namespace {

bool jumps(Op op, float alpha) {
  return (op == Op::relu) || (op == Op::leaky_relu && alpha != 1.0f);
}

float left_slope(Op op, float alpha) { return op == Op::relu ? 0.0f : alpha; }

bool same_place(const Node& a, const Node& b, std::span<const std::optional<NodeId>> places) {
  if (a.op != b.op || a.arity != b.arity || a.shape != b.shape || a.axis != b.axis) return false;
  if (a.alpha != b.alpha || a.index != b.index || a.of != b.of) return false;
  if (a.transpose_a != b.transpose_a || a.transpose_b != b.transpose_b) return false;
  for (std::size_t i = 0; i < a.arity; ++i)
    if (places[a.args[i]] != b.args[i]) return false;
  return true;
}

Unit unit_of(std::size_t kink, std::size_t element, const bounds::OutputBounds& z, double lambda) {
  double radius = z.sound[element];
  if (lambda > 0) radius = std::min(radius, lambda * z.sigma[element]);
  return {kink, element, z.reference[element], radius};
}

}  // namespace

std::vector<Kink> kinks_of(const Network& forward) {
  std::vector<Kink> kinks;
  for (NodeId id = 0; id < forward.nodes().size(); ++id) {
    const Node& node = forward.node(id);
    if (jumps(node.op, node.alpha))
      kinks.push_back({id, node.args[0], left_slope(node.op, node.alpha)});
  }
  return kinks;
}

std::vector<std::optional<NodeId>> primal_nodes(const Network& derivative, const Network& forward) {
  std::vector<std::optional<NodeId>> places;
  for (const Node& node : derivative.nodes()) {
    std::optional<NodeId> place;
    for (NodeId id = 0; id < forward.nodes().size() && !place; ++id)
      if (same_place(node, forward.node(id), places)) place = id;
    places.push_back(place);
  }
  return places;
}

MaskedNetwork with_slopes_as_inputs(const Network& derivative, const Network& forward) {
  const auto primal = primal_nodes(derivative, forward);
  const std::vector<Kink> kinks = kinks_of(forward);
  MaskedNetwork masked;
  masked.network.set_repeat(derivative.repeat());
  std::vector<NodeId> places;
  for (Node node : derivative.nodes()) {
    for (std::size_t i = 0; i < node.arity; ++i) {
      // The operand of a derivative is looked up in the old network below.
      if (node.op != Op::derivative) node.args[i] = places[node.args[i]];
    }
    if (node.op == Op::derivative) {
      const auto kink = std::find_if(kinks.begin(), kinks.end(), [&](const Kink& k) {
        const Node& f = forward.node(k.activation);
        return primal[node.args[0]] == k.operand && f.op == node.of && f.alpha == node.alpha;
      });
      if (kink != kinks.end()) {
        masked.inputs.push_back({true, static_cast<std::size_t>(kink - kinks.begin())});
        places.push_back(masked.network.input(node.shape, node.axis));
        continue;
      }
      node.args[0] = places[node.args[0]];
    }
    if (node.op == Op::input) masked.inputs.push_back({false, node.index});
    places.push_back(masked.network.append(node));
  }
  for (const NodeId id : derivative.outputs()) masked.network.output(places[id]);
  return masked;
}

KinkJudge::KinkJudge(const Network& forward, std::span<const Tensor> parameters,
                     const bounds::AnalysisOptions& options)
    : kinks_(kinks_of(forward)), parameters_(parameters), options_(options) {
  opened_.set_repeat(forward.repeat());
  for (const Node& node : forward.nodes()) opened_.append(node);
  for (const Kink& kink : kinks_) opened_.output(kink.operand);
}

RowKinks KinkJudge::judge(std::span<const float* const> inputs, double lambda) {
  RowKinks row;
  if (kinks_.empty()) return row;
  analysis_.run(opened_, parameters_, 1, inputs, {}, {}, options_);
  for (std::size_t k = 0; k < kinks_.size(); ++k) {
    const bounds::OutputBounds z = analysis_.output(k);
    std::vector<float> slopes(z.reference.size());
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      slopes[i] = z.reference[i] > 0 ? 1.0f : kinks_[k].left;
      const bool bounded =
          z.judgement[i] == bounds::Judgement::usable || z.judgement[i] == bounds::Judgement::exact;
      row.blind = row.blind || !bounded;
      const Unit unit = unit_of(k, i, z, lambda);
      (std::fabs(unit.z) <= unit.radius ? row.undecided : row.decided).push_back(unit);
    }
    row.slopes.push_back(std::move(slopes));
  }
  const auto nearer = [](const Unit& a, const Unit& b) { return std::fabs(a.z) < std::fabs(b.z); };
  std::stable_sort(row.undecided.begin(), row.undecided.end(), nearer);
  std::stable_sort(row.decided.begin(), row.decided.end(), nearer);
  return row;
}

float other_slope(const Kink& kink, float slope) { return slope == 1.0f ? kink.left : 1.0f; }

std::string describe(const Unit& unit, const std::vector<Kink>& kinks, const Network& forward,
                     std::size_t row) {
  const Kink& kink = kinks[unit.kink];
  return fmt::format("unit {} of {} {} in row {}", unit.element,
                     name(forward.node(kink.activation).op), unit.kink, row);
}

}  // namespace ulpfuzz::diagnosis
