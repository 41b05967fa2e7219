#include "soundness/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bench {
namespace {

using bounds::Analysis;
using bounds::AnalysisOptions;
using bounds::Judgement;
using bounds::OutputBounds;

constexpr std::size_t most_elements = 300;  // of one output, in one style
constexpr std::size_t most_reports = 3;     // of one case

class Judge {
 public:
  Judge(const Trial& trial, std::uint64_t seed) : t_(trial), random_(seed) {
    for (const auto& x : t_.model.inputs) inputs_.push_back(x.data());
    std::size_t all = 0;
    for (const NodeId id : network().outputs()) {
      const Node& node = network().node(id);
      const std::size_t size = network().entries(node, t_.model.batch) * node.shape.size();
      const std::size_t judged = std::min(size, most_elements);
      parts_.push_back({pick(random_, size - judged + 1), judged});
      all += judged;
    }
    lambda_ = bounds::lambda(all);
    truncates_ = truncates(t_.arithmetic.everywhere);
    for (const auto& [id, own] : t_.arithmetic.except) truncates_ = truncates_ || truncates(own);
  }

  Findings run();

 private:
  const Network& network() const { return t_.model.network; }
  void analyse(const LayeredArithmetic& arithmetic, const AnalysisOptions& options = {},
               std::span<const bounds::ObservedKinks> observed = {}) {
    analysis_.run(network(), t_.model.parameters, t_.model.batch, inputs_, arithmetic, observed,
                  options);
  }
  void judge_all(const Evaluated& e, const char* tier);
  void judge_output(const Evaluated& e, std::size_t o, const char* tier);
  void judge_element(const Evaluated& e, std::size_t o, std::size_t i, const OutputBounds& b,
                     const char* tier, Count& c);
  void add(const Count& c, const Evaluated& e, std::size_t o, const char* tier);
  void report(const Evaluated& e, std::size_t o, std::size_t i, const OutputBounds& b,
              const char* tier, const char* what);
  void judge_refined(const std::vector<Evaluated>& all);
  void judge_observed(const Evaluated& e);
  void check_reference();

  const Trial& t_;
  Random random_;
  Analysis analysis_;
  std::vector<const float*> inputs_;
  std::vector<Part> parts_;
  double lambda_ = 6;
  bool truncates_ = false;  ///< roundings with a mean, which the probabilistic tier does not model
  bool decided_ = true;     ///< no kink of the analysis is undecided
  Findings found_;
};

void Judge::report(const Evaluated& e, std::size_t o, std::size_t i, const OutputBounds& b,
                   const char* tier, const char* what) {
  if (found_.violations.size() >= most_reports) return;
  const Node& node = network().node(network().outputs()[o]);
  const std::size_t at = parts_[o].from + i;
  found_.violations.push_back({fmt::format(
      "{} in tier {}: node {} {}{}{} element {}: {:.9g} against {:.17g}, bound {:.9g} (x {:.3g}), "
      "deviation {:.3g}, judgement {}; {}",
      what, tier, network().outputs()[o], name(node.op), node.op == Op::derivative ? " of " : "",
      node.op == Op::derivative ? name(node.of) : "", at, e.outputs[o][i], b.reference[at],
      b.sound[at], std::fabs(e.outputs[o][i] - b.reference[at]) / b.sound[at], b.sigma[at],
      static_cast<int>(b.judgement[at]), describe(e.style))});
}

void Judge::judge_element(const Evaluated& e, std::size_t o, std::size_t i, const OutputBounds& b,
                          const char* tier, Count& c) {
  const std::size_t at = parts_[o].from + i;
  const double value = e.outputs[o][i], reference = b.reference[at], sound = b.sound[at];
  const auto wrong = [&](const char* what) {
    ++c.violations;
    report(e, o, i, b, tier, what);
  };
  switch (b.judgement[at]) {
    case Judgement::nonfinite:
      ++c.unjudged;
      if (!(std::isnan(reference) ? std::isnan(value) : value == reference)) wrong("class");
      return;
    case Judgement::range:
      ++c.unjudged;
      if (std::isnan(value) || (std::isfinite(value) && !(std::fabs(value - reference) <= sound)))
        wrong("beyond the bound where sums may overflow");
      return;
    case Judgement::no_bound:
      ++c.unjudged;
      return;
    default:
      break;
  }
  ++c.elements;
  const double difference = std::fabs(value - reference);
  c.exact += sound == 0;
  if (!(difference <= sound)) return wrong("beyond the bound");
  if (!(b.local[at] <= sound)) return wrong("local part above the bound");
  if (sound > 0) c.worst = std::max(c.worst, difference / sound);
  if (t_.low_bits && !truncates_ && !e.style.conspires() && b.sigma[at] > 0) {
    ++c.probable;
    const double share = difference / (lambda_ * b.sigma[at]);
    c.worst_probable = std::max(c.worst_probable, share);
    if (share >= 1) report(e, o, i, b, tier, "(not counted) beyond the probabilistic bound");
  }
}

void Judge::add(const Count& c, const Evaluated& e, std::size_t o, const char* tier) {
  const Node& node = network().node(network().outputs()[o]);
  std::string op(name(node.op));
  if (node.op == Op::derivative) op.append("_").append(name(node.of));
  const std::string order(order_names[static_cast<std::size_t>(e.style.order)]);
  const std::string width(width_names[t_.width_class]);
  auto& by = found_.tally.by;
  by["tier"][tier].add(c);
  by["op"][op].add(c);
  by["width"][width].add(c);
  by["depth"][std::to_string(t_.depth)].add(c);
  by["arithmetic"][t_.family].add(c);
  by["order"][order + (e.style.fused ? "_fma" : "")].add(c);
  by["data"][std::string(data_names[static_cast<std::size_t>(t_.data)])].add(c);
  by["mode"][std::string(mode_names[static_cast<std::size_t>(t_.mode)])].add(c);
  by["formula"][std::to_string(e.style.formula)].add(c);
  by["op_width_order"][fmt::format("{} {} {}", name(node.op), width, order)].add(c);
}

void Judge::judge_output(const Evaluated& e, std::size_t o, const char* tier) {
  const OutputBounds b = analysis_.output(o);
  Count c;
  for (std::size_t i = 0; i < parts_[o].size; ++i) judge_element(e, o, i, b, tier, c);
  if (decided_) c.worst_decided = c.worst;
  add(c, e, o, tier);
}

void Judge::judge_all(const Evaluated& e, const char* tier) {
  decided_ = analysis_.undecided_kinks() == 0;
  // The last node is the first output: where it is wrong, what it was made of may be, too.
  for (std::size_t o = 1; o < parts_.size(); ++o) judge_output(e, o, tier);
  judge_output(e, 0, tier);
}

void Judge::judge_refined(const std::vector<Evaluated>& all) {
  const NodeId id = network().outputs()[0];
  for (std::size_t e = 0; e < network().entries(network().node(id), t_.model.batch); ++e)
    analysis_.refine(e);
  for (const Evaluated& e : all) judge_output(e, 0, "refined");
}

void Judge::judge_observed(const Evaluated& e) {
  std::vector<bounds::ObservedKinks> observed;
  const std::vector<NodeId> operands = kink_operands(network());
  for (std::size_t k = 0; k < operands.size(); ++k) observed.push_back({operands[k], e.kinks[k]});
  if (observed.empty()) return;
  analyse(t_.claimed.value_or(t_.arithmetic), {}, observed);
  judge_all(e, "observed");
  if (analysis_.contradicted_kinks() == 0) return;
  found_.tally.contradicted += analysis_.contradicted_kinks();
  found_.violations.push_back({"contradicted kinks: " + describe(e.style)});
}

// The inflation of the bounds allows the fp64 reference so much.
void Judge::check_reference() {
  if (analysis_.undecided_kinks() > 0 || t_.arithmetic.everywhere.accumulate == Format::fp64)
    return;
  const Evaluated exact = evaluate_exactly(t_, parts_);
  for (std::size_t o = 0; o < parts_.size(); ++o) {
    const OutputBounds b = analysis_.output(o);
    for (std::size_t i = 0; i < parts_[o].size; ++i) {
      const std::size_t at = parts_[o].from + i;
      if (b.judgement[at] != Judgement::usable && b.judgement[at] != Judgement::exact) continue;
      ++found_.tally.reference_elements;
      const double error = std::fabs(exact.outputs[o][i] - b.reference[at]);
      if (error == 0) continue;
      const double share = error / (0x1p-26 * b.sound[at]);
      found_.tally.reference_share = std::max(found_.tally.reference_share, share);
      if (share > 1) report(exact, o, i, b, "reference", "(not counted) inaccurate reference");
    }
  }
}

Findings Judge::run() {
  found_.tally.cases = 1;
  const bool heavy = t_.cost > 3e5;
  const std::size_t styles = heavy ? 4 : 8;
  std::vector<Evaluated> all;
  LayeredArithmetic arithmetic = t_.claimed.value_or(t_.arithmetic);
  for (std::size_t s = 0; s < styles; ++s) {
    all.push_back(evaluate(t_, draw_style(random_), parts_));
    if (t_.known_depth)
      arithmetic.everywhere.depth =
          std::max(arithmetic.everywhere.depth, static_cast<std::uint32_t>(all.back().depth));
  }
  analyse(arithmetic);
  for (const Evaluated& e : all) judge_all(e, "sound");
  if (pick(random_, heavy ? 16 : 6) == 0) check_reference();
  if (t_.mode == Mode::forward && !heavy) judge_refined(all);
  if (t_.mode != Mode::forward && !heavy && pick(random_, 3) == 0) judge_observed(all[0]);
  if (pick(random_, heavy ? 8 : 3) == 0) {
    analyse(arithmetic, {.matrix_adjoint = true});
    for (const Evaluated& e : all) judge_all(e, "matrix_adjoint");
  }
  if (t_.conditional) {
    analyse(arithmetic, {.matrix_adjoint = pick(random_, 2) == 0, .conditional = true});
    for (const Evaluated& e : all) judge_all(e, "conditional");
  }
  return std::move(found_);
}

}  // namespace

Findings judge_trial(const Trial& trial, std::uint64_t seed) { return Judge(trial, seed).run(); }

}  // namespace ulpfuzz::bench
