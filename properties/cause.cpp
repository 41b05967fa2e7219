#include "cause.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "judge.hpp"

namespace ulpfuzz::properties {
namespace {

constexpr double no_alarm = 1e3;  // lambda: the sound bound decides

using Changes = std::vector<std::uint32_t>;  // indices of parameters

bool fits(std::span<const float> values, const bounds::OutputBounds& expected, double factor) {
  bool something = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Side s = side(expected, i);
    s.reference *= factor;
    s.sound = s.sound * std::fabs(factor) + std::fabs(s.reference) * 0x1p-23;
    if (s.judgement == bounds::Judgement::exact) s.judgement = bounds::Judgement::usable;
    const Judged judged = judge_reference(values[i], s, no_alarm, true);
    if (judged.ruling == Ruling::fail) return false;
    something = something || judged.tier != Tier::none;
  }
  return something;
}

std::string factor_cause(const Suspect& s, const bounds::OutputBounds& expected) {
  const auto batch = static_cast<double>(s.batch);
  if (fits(s.values, expected, 2)) return "doubled";
  if (fits(s.values, expected, 0.5)) return "halved";
  if (fits(s.values, expected, -1)) return "sign flipped";
  if (s.batch > 2 && fits(s.values, expected, batch)) return "times the batch size";
  if (s.batch > 2 && fits(s.values, expected, 1 / batch)) return "divided by the batch size";
  return {};
}

bool all_zero(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return x == 0; });
}

/// Parameters that are operand `which` of a linear node.
Changes operands_of_linear(const Network& network, std::size_t which) {
  Changes found;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::linear || node.arity <= which) continue;
    const Node& operand = network.node(node.args[which]);
    if (operand.op == Op::parameter) found.push_back(operand.index);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void transpose(Tensor& t) {
  for (std::size_t i = 0; i < t.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) std::swap(t.row(i)[j], t.row(j)[i]);
  }
}

/// The values with some parameters changed: all that can be, or one alone.
bool explained_by(bounds::Analysis& analysis, const Suspect& s, const Changes& which,
                  const std::function<void(Tensor&)>& change) {
  std::vector<Tensor> parameters(s.parameters.begin(), s.parameters.end());
  if (which.empty()) return false;
  for (const std::uint32_t i : which) change(parameters[i]);
  if (matches(analysis, s, s.network, parameters, s.inputs, s.arithmetic)) return true;
  if (which.size() == 1) return false;
  return std::any_of(which.begin(), which.end(), [&](std::uint32_t i) {
    std::vector<Tensor> one(s.parameters.begin(), s.parameters.end());
    change(one[i]);
    return matches(analysis, s, s.network, one, s.inputs, s.arithmetic);
  });
}

std::string parameter_cause(bounds::Analysis& analysis, const Suspect& s) {
  const Changes weights = operands_of_linear(s.network, 1);
  if (explained_by(analysis, s, operands_of_linear(s.network, 2),
                   [](Tensor& t) { std::fill(t.data.begin(), t.data.end(), 0.0f); })) {
    return "missing bias";
  }
  Changes square;
  std::copy_if(weights.begin(), weights.end(), std::back_inserter(square), [&](std::uint32_t i) {
    return s.parameters[i].rows == s.parameters[i].cols && s.parameters[i].rows > 1;
  });
  if (explained_by(analysis, s, square, transpose)) return "transposed weight";
  // Where no dot has two products, the missing one makes it "zero".
  const bool wide = std::any_of(weights.begin(), weights.end(),
                                [&](std::uint32_t i) { return s.parameters[i].cols > 1; });
  const auto drop_last = [](Tensor& t) {
    for (std::size_t r = 0; r < t.rows && t.cols > 0; ++r) t.row(r)[t.cols - 1] = 0;
  };
  if (wide && explained_by(analysis, s, weights, drop_last)) return "last product dropped";
  return {};
}

/// Rounded operands show in many elements, a slip in one or two: the share of the elements that the
/// claimed arithmetic does not allow.
double part_off(bounds::Analysis& analysis, const Suspect& s) {
  analysis.run(s.network, s.parameters, s.rows, s.inputs, s.arithmetic);
  const bounds::OutputBounds expected = analysis.output(s.output);
  std::size_t off = 0;
  std::size_t judged = 0;
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    const Judged j = judge_reference(s.values[i], side(expected, i), no_alarm, true);
    if (j.ruling == Ruling::fail) ++off;
    if (expected.reference[i] != 0) ++judged;
  }
  return static_cast<double>(off) / static_cast<double>(std::max<std::size_t>(judged, 1));
}

std::string precision_cause(bounds::Analysis& analysis, const Suspect& s) {
  if (part_off(analysis, s) < 0.25) return {};
  const auto with = [&](auto change) {
    Arithmetic arithmetic = s.arithmetic;
    change(arithmetic);
    return arithmetic != s.arithmetic &&
           matches(analysis, s, s.network, s.parameters, s.inputs, arithmetic);
  };
  if (with([](Arithmetic& a) { a.flushes_subnormals = true; })) {
    return "consistent with flushed subnormals";
  }
  for (const Format f : {Format::fp32, Format::tf32, Format::fp16, Format::bf16}) {
    if (with([f](Arithmetic& a) { a.operand = f; })) {
      return "consistent with " + std::string(traits(f).name) + " operands";
    }
  }
  return {};
}

bool has_kink(const Node& node) {
  return node.op == Op::derivative &&
         (node.of == Op::relu || node.of == Op::leaky_relu || node.of == Op::elu);
}

/// The network with masks that let everything through: of all kinks, or of node `only`.
Network with_open_masks(const Network& network, std::optional<NodeId> only) {
  Network open;
  open.set_repeat(network.repeat());
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    Node node = network.node(id);
    if (has_kink(node) && (!only || *only == id)) {
      node.of = Op::leaky_relu;
      node.alpha = 1;
    }
    open.append(node);
  }
  for (const NodeId id : network.outputs()) open.output(id);
  return open;
}

std::string mask_cause(bounds::Analysis& analysis, const Suspect& s) {
  std::vector<std::optional<NodeId>> which;
  for (NodeId id = 0; id < s.network.nodes().size(); ++id) {
    if (has_kink(s.network.node(id))) which.emplace_back(id);
  }
  if (which.empty()) return {};
  which.insert(which.begin(), std::nullopt);
  const bool found = std::any_of(which.begin(), which.end(), [&](std::optional<NodeId> only) {
    return matches(analysis, s, with_open_masks(s.network, only), s.parameters, s.inputs,
                   s.arithmetic);
  });
  return found ? "wrong mask" : "";
}

}  // namespace

bool matches(bounds::Analysis& analysis, const Suspect& s, const Network& network,
             std::span<const Tensor> parameters, std::span<const float* const> inputs,
             const Arithmetic& arithmetic) {
  analysis.run(network, parameters, s.rows, inputs, arithmetic);
  return fits(s.values, analysis.output(s.output), 1);
}

std::string name_cause(bounds::Analysis& analysis, const Suspect& s,
                       const std::function<std::string()>& leak) {
  analysis.run(s.network, s.parameters, s.rows, s.inputs, s.arithmetic);
  const std::string factor = factor_cause(s, analysis.output(s.output));
  if (!factor.empty()) return factor;
  // A gradient that is all zero was not computed; another weight is no likely reason.
  const bool zero = all_zero(s.values);
  const bool gradient = s.network.outputs().size() > 1 || s.network.repeat() > 1;
  if (zero && gradient) return "zero";
  std::string cause = parameter_cause(analysis, s);
  if (cause.empty()) cause = leak();
  if (cause.empty() && zero) cause = "zero";
  if (cause.empty()) cause = mask_cause(analysis, s);
  if (cause.empty()) cause = precision_cause(analysis, s);
  return cause.empty() ? "unexplained" : cause;
}

std::string class_cause(FailureClass failure) {
  switch (failure) {
    case FailureClass::unwritten:
      return "unwritten output";
    case FailureClass::out_of_bounds:
      return "overrun";
    case FailureClass::fp_environment:
      return "environment left changed";
    case FailureClass::nondeterministic:
      return "run to run";
    case FailureClass::exception:
      return "exception";
    default:
      return "unexplained";
  }
}

}  // namespace ulpfuzz::properties
