#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "jacobian_arithmetic.hpp"
#include "search.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::diagnosis {
namespace {

constexpr std::size_t most_rows = 2, most_sampled = 2048;

bool is_gelu(Op op) { return op == Op::gelu_erf || op == Op::gelu_tanh; }

std::optional<Network> with_other_gelu(const Network& forward) {
  Network other;
  bool some = false;
  for (Node node : forward.nodes()) {
    some = some || is_gelu(node.op);
    if (is_gelu(node.op)) node.op = node.op == Op::gelu_erf ? Op::gelu_tanh : Op::gelu_erf;
    other.append(node);
  }
  if (!some) return std::nullopt;
  for (const NodeId id : forward.outputs()) other.output(id);
  return other;
}

/// Rows in which most differs.
std::vector<std::size_t> telling_rows(const Evidence& e, const Layout& layout,
                                      const Baseline& baseline) {
  const std::vector<double> d = differences(e);
  std::vector<double> largest(layout.rows, 0);
  for (std::size_t i = 0; i < d.size(); ++i) {
    double& most = largest[i / layout.row_size()];
    if (baseline.usable[i] && std::isfinite(d[i])) most = std::max(most, std::fabs(d[i]));
  }
  std::vector<std::size_t> rows(layout.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t l, std::size_t r) { return largest[l] > largest[r]; });
  rows.resize(std::min(most_rows, rows.size()));
  return rows;
}

/// Of each row's differing elements and of the others, so many evenly.
std::vector<std::size_t> spread_sample(const Evidence& e, const Layout& layout,
                                       const Baseline& baseline,
                                       std::span<const std::size_t> rows) {
  const std::vector<double> d = differences(e);
  std::vector<std::size_t> differing, others, sample;
  for (const std::size_t row : rows)
    for (std::size_t i = row * layout.row_size(); i < (row + 1) * layout.row_size(); ++i)
      if (baseline.usable[i]) (d[i] != 0 ? differing : others).push_back(i);
  for (const auto* list : {&differing, &others}) {
    const std::size_t step = list->size() / (most_sampled / 2) + 1;
    for (std::size_t i = 0; i < list->size(); i += step) sample.push_back((*list)[i]);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace

JacobianScene::JacobianScene(const Evidence& e, const Baseline& baseline)
    : evidence_(e),
      layout_(layout_of(e.network, e.quantity, e.rows)),
      swapped_(with_other_gelu(e.network)),
      evaluator_(e.network, e.parameters, e.quantity),
      plans_(plans(evaluator_.network(), e.network)),
      rows_(telling_rows(e, layout_, baseline)),
      sample_(spread_sample(e, layout_, baseline, rows_)) {
  if (swapped_) swapped_evaluator_.emplace(*swapped_, e.parameters, e.quantity);
  for (const Node& node : e.network.nodes()) {
    has_tanh_ = has_tanh_ || node.op == Op::tanh || node.op == Op::gelu_tanh;
    has_exp_ = has_exp_ || node.op == Op::sigmoid || node.op == Op::silu || node.op == Op::elu ||
               node.op == Op::softplus || node.op == Op::softmax;
  }
  for (std::size_t k = 0; k < e.inputs.size(); ++k) {
    const std::size_t size = e.network.node(e.network.inputs()[k]).shape.size();
    std::vector<float> gathered;
    for (const std::size_t row : rows_)
      gathered.insert(gathered.end(), e.inputs[k] + row * size, e.inputs[k] + (row + 1) * size);
    row_inputs_.push_back(std::move(gathered));
  }
  for (const auto& values : row_inputs_) row_pointers_.push_back(values.data());
  for (const Tensor& t : e.parameters) work_ += static_cast<double>(t.data.size());
  work_ *= static_cast<double>(rows_.size() * (2 * layout_.outputs + 1));
  for (const std::size_t i : sample_) {
    const auto at = std::find(rows_.begin(), rows_.end(), i / layout_.row_size()) - rows_.begin();
    sample_at_.push_back(static_cast<std::size_t>(at) * layout_.row_size() +
                         i % layout_.row_size());
  }
}

bool JacobianScene::applies(std::size_t variant) const {
  const Hypothesis& h = hypotheses()[variants()[variant].hypothesis];
  if (h.other_gelu) return swapped_.has_value();
  if (h.fast_tanh) return has_tanh_;
  return !h.fast_exp || has_exp_;
}

std::vector<float> JacobianScene::evaluate(const JacobianCandidate& c,
                                           std::span<const float* const> inputs,
                                           std::size_t rows) const {
  const Variant& v = variants()[c.variant];
  const Hypothesis& h = hypotheses()[v.hypothesis];
  if (whole(h) || (keeps(h) && c.plan == 0)) {
    const QuantityEvaluator& evaluator = h.other_gelu ? *swapped_evaluator_ : evaluator_;
    return evaluator.evaluate(emulated(c.variant, c.order), inputs, rows);
  }
  Emulation emulation;
  emulation.arithmetic = arithmetic_of(plans_[c.plan], v.arithmetic);
  emulation.summation = orders()[c.order];
  return evaluator_.evaluate(Emulated(h.name, std::move(emulation)), inputs, rows);
}

std::vector<double> JacobianScene::predict_sample(const JacobianCandidate& c) const {
  const std::vector<float> all = evaluate(c, row_pointers_, rows_.size());
  std::vector<double> part;
  for (const std::size_t i : sample_at_) part.push_back(all[i]);
  return part;
}

std::vector<float> JacobianScene::predict(const JacobianCandidate& c) const {
  return evaluate(c, evidence_.inputs, evidence_.rows);
}

Match JacobianScene::match_of(const JacobianCandidate& a, const JacobianCandidate& b) const {
  const auto name = [](const JacobianCandidate& c) {
    return hypotheses()[variants()[c.variant].hypothesis].name;
  };
  const auto words = [&](const JacobianCandidate& c) {
    const Hypothesis& h = hypotheses()[variants()[c.variant].hypothesis];
    if (whole(h)) return std::vector<std::string>(layer_count(evidence_.network), h.name);
    return layer_words(plans_[c.plan], evaluator_.network(), evidence_.network, h.name);
  };
  Match m;
  const bool one = b.variant == 0 || name(a) == name(b);
  m.hypothesis = a.variant == 0 ? name(b) : one ? name(a) : name(a) + " against " + name(b);
  m.a = words(a);
  m.b = words(b);
  m.summation_a = describe(orders()[a.order]);
  m.summation_b = describe(orders()[b.order]);
  return m;
}

std::string JacobianScene::words_of(const JacobianCandidate& a, const JacobianCandidate& b) const {
  const auto words = [&](const JacobianCandidate& c) {
    const Hypothesis& h = hypotheses()[variants()[c.variant].hypothesis];
    return whole(h) ? h.words : h.words + ", " + plans_[c.plan].name;
  };
  if (a.variant == 0 && b.variant == 0) return hypotheses().front().words + " on both sides";
  const char* which = evidence_.a.empty() ? "on one side"
                      : b.variant == 0    ? "on side a"
                                          : "on side b";
  if (b.variant == 0) return fmt::format("{}, {}; fp32 on the other", words(a), which);
  if (a.variant == 0) return fmt::format("{}, {}; fp32 on the other", words(b), which);
  const std::string of_a = words(a), of_b = words(b);
  if (of_a == of_b) return of_a + ", on both sides";
  return fmt::format("{} on side a; {} on side b", of_a, of_b);
}

}  // namespace ulpfuzz::diagnosis
