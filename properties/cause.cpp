#include "cause.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "altered.hpp"
#include "signature.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::properties {
namespace {

constexpr std::size_t telling_elements = 3;

/// Explanations that hold for all failing elements.
class Findings {
 public:
  void add(const std::string& name, std::size_t telling) {
    std::size_t& most = telling_[name];
    most = std::max(most, telling);
  }
  bool empty() const { return telling_.empty(); }

  /// Two that explain everything explain nothing.
  Cause decide() const {
    Cause cause;
    for (const auto& [name, telling] : telling_) {
      if (!cause.suggested.empty()) cause.suggested += " or ";
      cause.suggested += name;
    }
    if (telling_.size() == 1 && telling_.begin()->second >= telling_elements) {
      cause.named = std::exchange(cause.suggested, {});
    }
    return cause;
  }

 private:
  std::map<std::string, std::size_t> telling_;
};

bool has_relu(const Network& network) {
  const auto& nodes = network.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& n) {
    return n.op == Op::relu || (n.op == Op::derivative && n.of == Op::relu);
  });
}

void try_factors(Inquiry& inquiry, Findings& findings) {
  const auto batch = static_cast<double>(inquiry.scene().batch);
  std::vector<std::pair<const char*, double>> factors{
      {"doubled", 2}, {"halved", 0.5}, {"sign flipped", -1}, {"zero", 0}};
  if (batch > 2) {
    factors.emplace_back("times the batch size", batch);
    factors.emplace_back("divided by the batch size", 1 / batch);
  }
  for (const auto& [name, factor] : factors) {
    const auto telling = inquiry.scaled(factor);
    if (!telling) continue;
    findings.add(name, *telling);
    // Whatever is wrong before it, a relu that is off makes zeros of it.
    if (factor == 0 && has_relu(inquiry.scene().network)) findings.add("relu off", *telling);
  }
}

bool drop_bias(Tensor& t) {
  const bool some = std::any_of(t.data.begin(), t.data.end(), [](float x) { return x != 0; });
  std::fill(t.data.begin(), t.data.end(), 0.0f);
  return some;
}

bool transpose(Tensor& t) {
  if (t.rows != t.cols || t.rows < 2) return false;
  for (std::size_t i = 0; i < t.rows; ++i) {
    for (std::size_t j = 0; j < i; ++j) std::swap(t.row(i)[j], t.row(j)[i]);
  }
  return true;
}

bool drop_last_product(Tensor& t) {
  for (std::size_t r = 0; r < t.rows && t.cols > 0; ++r) t.row(r)[t.cols - 1] = 0;
  return t.cols > 0;
}

/// Of all linear nodes, or of one.
void try_operand(Inquiry& inquiry, Findings& findings, const char* name, std::size_t which,
                 const Change& change) {
  const Scene& s = inquiry.scene();
  const auto attempt = [&](std::optional<NodeId> only) {
    const auto altered = with_linear_operand(s.network, s.parameters, which, change, only);
    if (!altered) return false;
    const auto telling = inquiry.recomputed(altered->network, altered->parameters);
    if (telling) findings.add(name, *telling);
    return telling.has_value();
  };
  if (attempt(std::nullopt)) return;
  for (NodeId id = 0; id < s.network.nodes().size(); ++id) {
    if (s.network.node(id).op == Op::linear && attempt(id)) return;
  }
}

/// The row before, the row after, or one row for all.
std::vector<Inquiry::Entries> other_rows(const Scene& s) {
  constexpr std::uint32_t most = 16;
  std::vector<Inquiry::Entries> all;
  const auto add = [&](auto row_for) {
    Inquiry::Entries entries = s.entries;
    for (Gather::Entry& e : entries) e.row = row_for(e.row);
    all.push_back(std::move(entries));
  };
  if (s.case_rows < 2) return all;
  add([](std::uint32_t r) { return r == 0 ? r : r - 1; });
  add([&](std::uint32_t r) { return std::min(r + 1, s.case_rows - 1); });
  for (std::uint32_t other = 0; other < std::min(most, s.case_rows); ++other) {
    add([other](std::uint32_t) { return other; });
  }
  return all;
}

void try_leaks(Inquiry& inquiry, Findings& findings) {
  const Scene& s = inquiry.scene();
  std::optional<Network> doubled;
  for (const Inquiry::Entries& others : other_rows(s)) {
    if (others.front().row == s.entries.front().row) continue;
    if (const auto telling = inquiry.reading(others)) findings.add("row leak", *telling);
    if (!doubled) doubled = reading_other_rows(s.network);
    const auto telling = inquiry.reading(*doubled, others, s.tangents ? s.shift : 0);
    if (telling) findings.add("row leak", *telling);
  }
  for (const int step : {-1, 1}) {
    if (s.shift != 0) {
      const auto telling = inquiry.shifted(step * static_cast<int>(s.shift));
      if (telling) findings.add(s.tangents ? "row leak" : "neighbour element", *telling);
    }
    Inquiry::Entries others = s.entries;
    const auto inside = [&](std::uint32_t c) {
      return c + static_cast<unsigned>(step) < s.columns;
    };
    for (Gather::Entry& e : others) {
      if (inside(e.column)) e.column += static_cast<unsigned>(step);
    }
    if (others.front().column == s.entries.front().column) continue;
    if (const auto telling = inquiry.reading(others)) findings.add("neighbour output", *telling);
  }
}

void try_masks(Inquiry& inquiry, Findings& findings) {
  const Scene& s = inquiry.scene();
  std::vector<std::optional<NodeId>> which{std::nullopt};
  for (NodeId id = 0; id < s.network.nodes().size(); ++id) {
    if (has_kink(s.network.node(id))) which.emplace_back(id);
  }
  for (std::size_t i = 0; i < which.size() && which.size() > 1; ++i) {
    const auto telling = inquiry.recomputed(with_open_masks(s.network, which[i]), s.parameters);
    if (telling) return findings.add("wrong mask", *telling);
  }
}

/// The narrowest change of arithmetic that allows the values.
std::string arithmetic_that_fits(Inquiry& inquiry) {
  const auto fits = [&](auto change) {
    Arithmetic arithmetic = inquiry.scene().arithmetic;
    change(arithmetic);
    return arithmetic != inquiry.scene().arithmetic && inquiry.computed_with(arithmetic);
  };
  if (fits([](Arithmetic& a) { a.flushes_subnormals = true; })) {
    return "consistent with flushed subnormals";
  }
  for (const Format f : {Format::fp32, Format::tf32, Format::fp16, Format::bf16}) {
    if (fits([f](Arithmetic& a) { a.operand = f; })) {
      return "consistent with " + std::string(traits(f).name) + " operands";
    }
  }
  return {};
}

}  // namespace

Cause name_cause(bounds::Analysis& analysis, const Scene& scene) {
  Inquiry inquiry(analysis, scene);
  Cause cause;
  if (inquiry.failing() == 0) return cause;
  Findings findings;
  try_factors(inquiry, findings);
  try_operand(inquiry, findings, "missing bias", 2, drop_bias);
  try_operand(inquiry, findings, "transposed weight", 1, transpose);
  try_operand(inquiry, findings, "last product dropped", 1, drop_last_product);
  try_leaks(inquiry, findings);
  try_masks(inquiry, findings);
  if (!findings.empty()) return findings.decide();
  std::string arithmetic = arithmetic_that_fits(inquiry);
  if (!arithmetic.empty() && inquiry.looks_like_rounding()) {
    cause.named = std::move(arithmetic);
  } else {
    cause.suggested = std::move(arithmetic);
  }
  return cause;
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
    case FailureClass::out_of_memory:
      return "memory";
    default:
      return "unexplained";
  }
}

}  // namespace ulpfuzz::properties
