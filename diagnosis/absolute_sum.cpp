#include "absolute_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "jacobian_evaluation.hpp"
#include "jacobian_parts.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz::diagnosis {
namespace {

/// Times the range that usual orders span: within it a sum is typical of reordering.
constexpr double leeway = 3;

std::vector<Summation> usual_orders() {
  using Order = Summation::Order;
  return {{Order::sequential, 1, false, false}, {Order::sequential, 1, true, true},
          {Order::lanes, 8, false, false},      {Order::lanes, 8, true, true},
          {Order::lanes, 32, true, false},      {Order::pairwise, 1, false, false}};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += text.empty() ? word : ", " + word;
  return text;
}

double sum_apart(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(double{a[i]} - double{b[i]});
  return sum;
}

/// What fp32 evaluations in usual orders make of it.
struct Spread {
  std::vector<std::vector<float>> results;  ///< one an order
  std::vector<double> sums;                 ///< of all pairs, ascending
  double typical = 0, bound = 0;
  std::vector<std::size_t> differing;  ///< of each block: elements in which some pair differs
  std::size_t can_differ = 0;          ///< elements of those blocks that are not 0 for sure here
  std::size_t may_differ = 0;  ///< elements of their weight rows that are not all 0 for sure
  std::size_t copies = 0;      ///< each difference occurs a multiple of so many times
};

void count_differing(const Layout& layout, Spread& s) {
  s.differing.assign(layout.blocks.size(), 0);
  std::map<std::pair<std::size_t, double>, std::size_t> seen;
  const auto& first = s.results.front();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool differs = std::any_of(s.results.begin(), s.results.end(),
                                     [&](const auto& r) { return r[i] != first[i]; });
    if (!differs) continue;
    const auto& block = layout.block_of(i % layout.elements);
    ++s.differing[static_cast<std::size_t>(&block - layout.blocks.data())];
    const double d = double{s.results.back()[i]} - double{first[i]};
    if (d != 0) ++seen[{i / layout.row_size(), d}];
  }
  for (const auto& [key, times] : seen) s.copies = std::gcd(s.copies, times);
}

Spread spread_of(const Evidence& e, const Layout& layout, const QuantityEvaluator& evaluator) {
  Spread s;
  for (const Summation& order : usual_orders()) {
    Emulation emulation;
    emulation.summation = order;
    const Emulated subject("fp32", emulation);
    s.results.push_back(evaluator.evaluate(subject, e.inputs, e.rows));
  }
  for (std::size_t i = 0; i < s.results.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) s.sums.push_back(sum_apart(s.results[i], s.results[j]));
  std::sort(s.sums.begin(), s.sums.end());
  count_differing(layout, s);
  return s;
}

void add_block(const Layout::Block& block, std::span<const double> sound, Spread& s) {
  for (std::size_t r = 0; r < block.shape.rows; ++r) {
    const auto row = sound.subspan(r * block.shape.cols, block.shape.cols);
    const auto n = std::count_if(row.begin(), row.end(), [](double b) { return b > 0; });
    s.can_differ += static_cast<std::size_t>(n);
    if (n > 0) s.may_differ += row.size();
  }
}

/// Bounds, and which elements of the blocks that differ in usual orders can.
void add_bounds(const Evidence& e, const Layout& layout, Spread& s) {
  RowJudge judge(e.network, e.parameters, e.quantity);
  for (std::size_t r = 0; r < e.rows; ++r) {
    const RowBounds& b = judge.run(row_inputs(e.network, e.inputs, r), nullptr);
    for (std::size_t i = 0; i < layout.row_size(); ++i) {
      if (std::isfinite(b.sound[i])) s.bound += 2 * b.sound[i];
      s.typical += b.typical[i] * 2 / std::sqrt(std::numbers::pi);
    }
    for (std::size_t o = 0; o < layout.outputs; ++o)
      for (std::size_t k = 0; k < layout.blocks.size(); ++k) {
        const std::size_t first = o * layout.elements + layout.blocks[k].first;
        const std::span<const double> sound(b.sound);
        if (s.differing[k] != 0)
          add_block(layout.blocks[k], sound.subspan(first, layout.blocks[k].shape.size()), s);
      }
  }
}

/// One evaluation in fp32 and one under a hypothesis.
struct Foreign {
  const Hypothesis* hypothesis;
  Plan plan;
  double sum = 0;
};

std::vector<Foreign> foreign_sums(const Evidence& e, const QuantityEvaluator& evaluator,
                                  const Spread& s) {
  constexpr std::array names{"tf32x3", "bf16x3", "tf32 rna",        "tf32 rne",       "tf32 rz",
                             "fp16",   "bf16",   "fp16 accumulate", "bf16 accumulate"};
  std::vector<Plan> which = plans(evaluator.network(), e.network);
  std::erase_if(which, [](const Plan& p) {
    return p.name != "everywhere" && p.name != "in the forward pass alone" &&
           p.name != "everywhere but in outer products";
  });
  std::vector<Foreign> all;
  for (const Hypothesis& h : hypotheses()) {
    if (std::find(names.begin(), names.end(), h.name) == names.end()) continue;
    for (const Plan& plan : which) {
      Emulation emulation;
      emulation.arithmetic = arithmetic_of(plan, h.arithmetic);
      const Emulated subject(h.name, emulation);
      const auto result = evaluator.evaluate(subject, e.inputs, e.rows);
      all.push_back({&h, plan, sum_apart(s.results.front(), result)});
    }
  }
  return all;
}

Match match_of(const Evidence& e, const QuantityEvaluator& evaluator, const Foreign& f) {
  Match m;
  m.hypothesis = f.hypothesis->name;
  m.a.assign(layer_count(e.network), "fp32");
  m.b = layer_words(f.plan, evaluator.network(), e.network, f.hypothesis->name);
  return m;
}

void note_elements(const Layout& layout, const Spread& s, Explanation& out) {
  std::vector<std::string> moving, still;
  for (std::size_t i = 0; i < layout.blocks.size(); ++i)
    (s.differing[i] != 0 ? moving : still).push_back(layout.blocks[i].name);
  if (moving.empty() || still.empty()) return;
  std::string text =
      fmt::format("if it is reordering, only gradients by {} differ, in at most {} elements",
                  joined(moving), s.may_differ);
  if (s.can_differ < s.may_differ) text += fmt::format(" ({} with these weights)", s.can_differ);
  if (s.copies > 1) text += fmt::format(", each difference in {} equal copies", s.copies);
  out.notes.push_back(fmt::format("{}; those by {} are equal bit for bit", text, joined(still)));
}

/// Of the many, those that a reader asks for.
bool is_told(const Foreign& f) {
  constexpr std::array names{"tf32x3", "bf16x3", "tf32 rna", "bf16"};
  return f.plan.name != "everywhere but in outer products" &&
         std::find(names.begin(), names.end(), f.hypothesis->name) != names.end();
}

std::string exclusion(const Foreign& f, double sum) {
  const std::string would =
      fmt::format("{} {} would give {:.2g}", f.hypothesis->name, f.plan.name, f.sum);
  const double factor = std::max(f.sum / sum, sum / f.sum);
  if (!(factor > leeway)) return would + ": not excluded";
  return fmt::format("{}, {:.2g} times {}: excluded", would, factor, f.sum > sum ? "more" : "less");
}

void conclude_from(const Evidence& e, const Layout& layout, const QuantityEvaluator& evaluator,
                   const Spread& s, const std::vector<Foreign>& foreign, Explanation& out) {
  const double sum = *e.absolute_sum;
  const double low = s.sums.front() / leeway;
  const double high = std::max(s.sums.back(), s.typical) * leeway;
  std::vector<const Foreign*> near;
  for (const Foreign& f : foreign)
    if (sum > f.sum / leeway && sum < f.sum * leeway) near.push_back(&f);
  out.notes.push_back(fmt::format(
      "fp32 in pairs of usual orders gives {:.2g} to {:.2g}, median {:.2g}; observed {:.2g}",
      s.sums.front(), s.sums.back(), s.sums[s.sums.size() / 2], sum));
  note_elements(layout, s, out);
  for (const Foreign& f : foreign)
    if (is_told(f)) out.notes.push_back(exclusion(f, sum));
  if (sum == 0) {
    out.conclusion = Conclusion::equal;
  } else if (sum > s.bound) {
    out.conclusion = Conclusion::other_cause;
  } else {
    out.conclusion = sum <= high ? Conclusion::reordering : Conclusion::suspicious;
  }
  if (out.conclusion == Conclusion::reordering || out.conclusion == Conclusion::equal) {
    Match m;
    m.hypothesis = "fp32";
    m.a = m.b = std::vector<std::string>(layer_count(e.network), "fp32");
    out.matches.push_back(std::move(m));
    if (sum < low) out.notes.push_back("less than usual orders give: the two are nearly the same");
  }
  for (const Foreign* f : near)
    if (sum > high) out.matches.push_back(match_of(e, evaluator, *f));
}

/// "consistent with fp32 reordering; TF32 in the forward pass alone would give 700 times as much".
void put_exclusion(const std::vector<Foreign>& foreign, double sum, Explanation& out) {
  const auto tf32 = std::find_if(foreign.begin(), foreign.end(), [](const Foreign& f) {
    return f.hypothesis->name == "tf32 rna" && f.plan.name == "in the forward pass alone";
  });
  const auto outer = std::find_if(foreign.begin(), foreign.end(), [](const Foreign& f) {
    return f.hypothesis->name == "tf32 rna" && f.plan.name == "everywhere";
  });
  if (out.conclusion != Conclusion::reordering || outer == foreign.end()) return;
  if (outer->sum < leeway * sum) return;
  out.cause += "; TF32 excluded: ";
  if (tf32 != foreign.end() && tf32 != outer)
    out.cause += fmt::format("in the forward pass alone it would give {:.0f} times as much, ",
                             tf32->sum / sum);
  out.cause += fmt::format("everywhere {:.2g} times as much", outer->sum / sum);
}

}  // namespace

Explanation explain_absolute_sum(const Evidence& evidence) {
  const Layout layout = layout_of(evidence.network, evidence.quantity, evidence.rows);
  const QuantityEvaluator evaluator(evidence.network, evidence.parameters, evidence.quantity);
  Spread s = spread_of(evidence, layout, evaluator);
  add_bounds(evidence, layout, s);
  const std::vector<Foreign> foreign = foreign_sums(evidence, evaluator, s);
  const double sum = *evidence.absolute_sum;
  const auto n = static_cast<double>(layout.rows * layout.row_size());
  Explanation out;
  out.elements = layout.rows * layout.row_size();
  out.reorder_bound_max = s.bound;
  out.difference_max = sum;
  out.ratio_max = s.bound > 0 ? sum / s.bound : 0;
  out.typical_rms = s.sums[s.sums.size() / 2] / n;
  out.observed_rms = sum / n;
  out.worst = {"sum over all elements", sum, s.bound, 0, {}};
  conclude_from(evidence, layout, evaluator, s, foreign, out);
  out.verdict = verdict(out.conclusion);
  put_in_words(evidence, out);
  put_exclusion(foreign, sum, out);
  out.confidence = fmt::format(
      "of a sum alone: it is compared with what {} pairs of orders and {} other arithmetics give "
      "on these numbers",
      s.sums.size(), foreign.size());
  return out;
}

}  // namespace ulpfuzz::diagnosis
