#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "search.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// XLA leaves a dot to its own fp32 loops, not to a GEMM library, where both operands have together
/// fewer elements than this (docs/bounds.md, "Naming the cause").
constexpr std::size_t xla_smallest_gemm = 100;

const Hypothesis* class_of(const std::vector<std::string>& side) {
  for (const std::string& name : side)
    for (const Hypothesis& h : hypotheses())
      if (h.name == name && h.name != "fp32") return &h;
  return nullptr;
}

Pattern pattern_of(const std::vector<std::string>& side) {
  Pattern p = 0;
  for (std::size_t l = 0; l < side.size(); ++l)
    if (side[l] != "fp32") p |= Pattern{1} << l;
  return p;
}

/// The layers that XLA hands to a GEMM library for a batch.
Pattern gemm_layers(const Network& network, std::size_t batch) {
  Pattern p = 0;
  std::size_t layer = 0;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    const Node& weight = network.node(node.args[1]);
    const std::size_t inner =
        node.op == Op::linear || node.transpose_b ? weight.shape.cols : weight.shape.rows;
    if ((batch * node.shape.rows + node.shape.cols) * inner >= xla_smallest_gemm)
      p |= Pattern{1} << layer;
    ++layer;
  }
  return p;
}

std::string undecided(std::span<const Match> matches) {
  std::vector<std::string> names;
  for (const Match& m : matches)
    if (m.hypothesis != matches.front().hypothesis &&
        std::find(names.begin(), names.end(), m.hypothesis) == names.end())
      names.push_back(m.hypothesis);
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// One side under its match: exact arithmetic on converted operands, and how far from that the
/// rest of the arithmetic may lead.
struct Conditional {
  std::vector<double> reference, bound;
};

Conditional conditional(const Evidence& evidence, const std::vector<std::string>& side) {
  const Hypothesis* h = class_of(side);
  LayeredArithmetic arithmetic;
  if (h != nullptr) arithmetic = layered(evidence.network, evidence.network, *h, pattern_of(side));
  bounds::Analysis analysis;
  analysis.run(evidence.network, evidence.parameters, evidence.rows, evidence.inputs, arithmetic,
               {}, {.matrix_adjoint = false, .conditional = true});
  for (std::size_t row = 0; row < evidence.rows; ++row) analysis.refine(row);
  const auto all = analysis.output(0);
  Conditional c{{all.reference.begin(), all.reference.end()}, {all.sound.begin(), all.sound.end()}};
  for (std::size_t i = 0; i < c.bound.size(); ++i)
    if (all.judgement[i] != bounds::Judgement::usable &&
        all.judgement[i] != bounds::Judgement::exact)
      c.bound[i] = HUGE_VAL;
  return c;
}

/// The largest part of the conditional bound that any element uses; above 1 the match is refuted.
double share_of_conditional(const Evidence& evidence, const Match& m) {
  const Conditional a = conditional(evidence, m.a), b = conditional(evidence, m.b);
  const auto share = [](double off, double bound) {
    return off == 0 ? 0 : bound > 0 ? std::fabs(off) / bound : HUGE_VAL;
  };
  double largest = 0;
  for (std::size_t i = 0; i < a.bound.size(); ++i) {
    if (evidence.a.empty()) {
      const double predicted = a.reference[i] - b.reference[i];
      largest =
          std::max(largest, share(evidence.difference[i] - predicted, a.bound[i] + b.bound[i]));
    } else {
      largest = std::max({largest, share(double{evidence.a[i]} - a.reference[i], a.bound[i]),
                          share(double{evidence.b[i]} - b.reference[i], b.bound[i])});
    }
  }
  return largest;
}

bool converts(const std::vector<std::string>& side) {
  const Hypothesis* h = class_of(side);
  return h == nullptr || (!whole(*h) && !keeps(*h) && h->arithmetic.accumulate == Format::fp32 &&
                          h->arithmetic.partials == 0);
}

}  // namespace

void add_notes(const Evidence& evidence, Explanation& e) {
  if (e.matches.empty() || e.matches.front().a.size() != e.matches.front().b.size()) return;
  const Match& best = e.matches.front();
  if (const std::string others = undecided(e.matches); !others.empty() && best.hypothesis != "fp32")
    e.notes.push_back("gives the same bits here and cannot be told apart: " + others);
  if (best.exact == e.elements)
    e.notes.push_back(fmt::format("sums run: a {}; b {}", best.summation_a, best.summation_b));
  const Hypothesis *a = class_of(best.a), *b = class_of(best.b);
  if (a == nullptr && b == nullptr) return;
  if (converts(best.a) && converts(best.b)) {
    const double share = share_of_conditional(evidence, best);
    if (share <= 1)
      e.notes.push_back(fmt::format(
          "given this arithmetic every value lies within its sound bound: the largest share of it "
          "is {:.2g}",
          share));
    else
      e.notes.push_back(fmt::format(
          "given this arithmetic some value is {:.2g} times its sound bound: this is not the whole "
          "cause",
          share));
  }
  const bool sizes = evidence.batch_a != 0 && evidence.batch_b != 0;
  if (!sizes || evidence.batch_a == evidence.batch_b) return;
  if (pattern_of(best.a) == gemm_layers(evidence.network, evidence.batch_a) &&
      pattern_of(best.b) == gemm_layers(evidence.network, evidence.batch_b))
    e.notes.push_back(fmt::format(
        "batch sizes {} and {} explain the layers: XLA computes a product in its own fp32 loops, "
        "not in a GEMM library, where (batch + outputs) x inputs is below {}",
        evidence.batch_a, evidence.batch_b, xla_smallest_gemm));
}

}  // namespace ulpfuzz::diagnosis
