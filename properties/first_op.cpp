#include "first_op.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "equal_bits.hpp"
#include "judge.hpp"

namespace ulpfuzz::properties {
namespace {

/// Generous: what is suspected here has failed already.
constexpr double wide_lambda = 16;

/// The inputs as far from a 64-byte boundary as the call that failed had them: the order of adding
/// may depend on it.
class Displaced {
 public:
  explicit Displaced(const Evaluated& e) {
    for (std::size_t i = 0; i < e.inputs.size(); ++i) {
      const Node& input = e.network.node(e.network.inputs()[i]);
      const std::size_t size = e.network.entries(input, e.batch) * input.shape.size();
      memory_.emplace_back(size + e.offset + boundary / sizeof(float));
      void* start = memory_.back().data();
      std::size_t space = memory_.back().size() * sizeof(float);
      std::align(boundary, size * sizeof(float), start, space);
      float* const to = static_cast<float*>(start) + e.offset;
      std::copy_n(e.inputs[i], size, to);
      inputs_.push_back(to);
    }
  }
  std::span<const float* const> inputs() const { return inputs_; }

 private:
  static constexpr std::size_t boundary = 64;
  std::vector<std::vector<float>> memory_;
  std::vector<const float*> inputs_;
};

std::optional<Outputs> evaluate(CheckContext& context, const Subject& subject, const Evaluated& e,
                                const Network& opened) {
  const Displaced displaced(e);
  return evaluate_opened(context, subject,
                         {opened, e.parameters, e.batch, displaced.inputs(), e.offset});
}

bool off_reference(std::span<const float> values, const bounds::OutputBounds& bounds) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Judged judged = judge_reference(values[i], side(bounds, i), wide_lambda, true);
    if (judged.ruling == Ruling::fail) return true;
  }
  return false;
}

/// The values that belong to batch row `row`.
std::span<const float> row_of(std::span<const float> values, const Network& network,
                              const Node& node, std::size_t row) {
  const std::size_t size = network.entries(node, 1) * node.shape.size();
  return node.axis == Axis::shared ? values.first(size) : values.subspan(row * size, size);
}

}  // namespace

Opened open(const Network& network) {
  Opened opened{network, {}};
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const Op op = network.node(id).op;
    if (op == Op::input || op == Op::parameter || op == Op::basis) continue;
    opened.network.output(id);
    opened.nodes.push_back(id);
  }
  return opened;
}

std::optional<Outputs> evaluate_opened(CheckContext& context, const Subject& subject,
                                       const Evaluated& e) {
  if (subject.unsupported(e.network)) return std::nullopt;
  try {
    return context.caller.run(subject, e.network, e.parameters, e.batch, e.inputs, e.offset);
  } catch (const SubjectFault& fault) {
    if (fault.failure() != FailureClass::exception) throw;
    return std::nullopt;
  }
}

std::string op_words(const Node& node) {
  if (node.op == Op::derivative) return fmt::format("derivative of {}", name(node.of));
  return std::string(name(node.op));
}

std::string op_label(const Network& network, const Node& node) {
  if (node.arity == 0) return op_words(node);
  const std::uint32_t from = network.node(node.args[0]).shape.cols;
  if (node.op == Op::linear || node.op == Op::matmul) {
    return fmt::format("{}({} -> {})", op_words(node), from, node.shape.cols);
  }
  return fmt::format("{}({})", op_words(node), node.shape.cols);
}

std::string first_op_off_reference(CheckContext& context, const Subject& subject,
                                   const Evaluated& evaluation, std::size_t row,
                                   std::span<const float* const> row_inputs, bool whole) {
  const Opened opened = open(evaluation.network);
  const std::size_t own = evaluation.network.outputs().size();
  const auto outputs = evaluate(context, subject, evaluation, opened.network);
  if (!outputs) return {};
  context.analysis.run(opened.network, evaluation.parameters, whole ? evaluation.batch : 1,
                       row_inputs, subject.arithmetic());
  for (std::size_t i = 0; i < opened.nodes.size(); ++i) {
    const Node& node = evaluation.network.node(opened.nodes[i]);
    const std::span<const float> values = outputs->values[own + i];
    const auto judged = whole ? values : row_of(values, evaluation.network, node, row);
    if (off_reference(judged, context.analysis.output(own + i))) return op_words(node);
  }
  return {};
}

const Node* first_op_that_parts(CheckContext& context, const Subject& subject, const Evaluated& a,
                                std::size_t row_a, const Evaluated& b, std::size_t row_b) {
  const Opened opened = open(a.network);
  const std::size_t own = a.network.outputs().size();
  std::vector<std::vector<float>> kept;
  const auto first = evaluate(context, subject, a, opened.network);
  if (!first) return nullptr;
  for (const auto& values : first->values) kept.emplace_back(values.begin(), values.end());
  const auto outputs = evaluate(context, subject, b, opened.network);
  if (!outputs) return nullptr;
  for (std::size_t i = 0; i < opened.nodes.size(); ++i) {
    const Node& node = a.network.node(opened.nodes[i]);
    const auto left = row_of(kept[own + i], a.network, node, row_a);
    const auto right = row_of(outputs->values[own + i], a.network, node, row_b);
    if (!equal_bits(left, right)) return &node;
  }
  return nullptr;
}

}  // namespace ulpfuzz::properties
