#include "naming/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine.hpp"
#include "naming/truth.hpp"
#include "variants.hpp"

namespace ulpfuzz::bench {
namespace {

using diagnosis::Explanation;
using diagnosis::Hypothesis;
using diagnosis::Match;

const Hypothesis* hypothesis(const std::string& name) {
  const auto all = diagnosis::hypotheses();
  const auto at =
      std::find_if(all.begin(), all.end(), [&](const Hypothesis& h) { return h.name == name; });
  return at == all.end() ? nullptr : &*at;
}

std::vector<double> difference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<double> d(a.size());
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = a[i] == b[i] ? 0 : double{a[i]} - double{b[i]};
  return d;
}

std::vector<std::string> names_of(const Truth& truth, const Side& side) {
  return diagnosis::layer_names(truth.scenery.parameters.size() / 2, *side.hypothesis,
                                side.pattern);
}

/// The side that layer names describe; nothing if they name no arithmetic.
std::optional<Side> side_of(const std::vector<std::string>& layers) {
  Side side;
  side.hypothesis = &diagnosis::hypotheses().front();
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers[l] == "fp32") continue;
    side.hypothesis = hypothesis(layers[l]);
    if (side.hypothesis == nullptr) return std::nullopt;
    side.pattern |= std::uint64_t{1} << l;
  }
  return side;
}

/// What the side gives, added up as was claimed: for every number of partial sums it may mean.
std::vector<std::vector<float>> claimed(const Truth& truth, Side side,
                                        const std::string& summation) {
  for (const Summation& s : diagnosis::orders())
    if (diagnosis::describe(s) == summation) side.summation = s;
  std::vector<std::vector<float>> results;
  for (const std::uint32_t parts : {2, 4, 8}) {
    side.partials = parts;
    results.push_back(truth.evaluate(side));
    if (side.hypothesis->arithmetic.partials == 0) break;
  }
  return results;
}

/// The same hypothesis with fp32 accumulation in place of a matmul unit.
const Hypothesis* without_unit(const Hypothesis* h) {
  Arithmetic wanted = h->arithmetic;
  wanted.unit = {};
  for (const Hypothesis& other : diagnosis::hypotheses()) {
    const bool same = other.arithmetic == wanted && other.fast_exp == h->fast_exp &&
                      other.fast_tanh == h->fast_tanh && other.other_gelu == h->other_gelu;
    if (same) return &other;
  }
  return h;
}

std::vector<float> in_true_order(const Truth& truth, Side side, const Side& own) {
  side.summation = own.summation;
  side.partials = own.partials;
  side.shuffled = own.shuffled;
  return truth.evaluate(side);
}

/// Checks, by evaluating, what the matches claim.
struct Judge {
  const Truth& truth;
  Shown shown;

  bool gives(const std::vector<float>& a, const std::vector<float>& b) const {
    if (shown == Shown::difference) return difference(a, b) == difference(truth.y_a, truth.y_b);
    return same_bits(a, truth.y_a) && same_bits(b, truth.y_b);
  }
  /// As the true sides add.
  bool strictly(const Match& m) const {
    const auto a = side_of(m.a), b = side_of(m.b);
    return a && b && gives(in_true_order(truth, *a, truth.a), in_true_order(truth, *b, truth.b));
  }
  /// As the match says that they add.
  bool as_claimed(const Match& m) const {
    const auto a = side_of(m.a), b = side_of(m.b);
    if (!a || !b) return false;
    const auto all_b = claimed(truth, *b, m.summation_b);
    for (const auto& y_a : claimed(truth, *a, m.summation_a))
      for (const auto& y_b : all_b)
        if (gives(y_a, y_b)) return true;
    return false;
  }
  /// Whether the conversions and layers are right, whatever adds the products: all that can be told
  /// where the order is not known.
  bool right_conversions(const Match& m) const {
    auto a = side_of(m.a), b = side_of(m.b);
    if (!a || !b) return false;
    for (Side* side : {&*a, &*b}) side->hypothesis = without_unit(side->hypothesis);
    return gives(in_true_order(truth, *a, truth.a), in_true_order(truth, *b, truth.b));
  }
  bool holds_truth(const Explanation& e) const {
    const auto a = names_of(truth, truth.a), b = names_of(truth, truth.b);
    const auto some = [&](const auto& test) {
      return std::any_of(e.matches.begin(), e.matches.end(), test);
    };
    if (shown == Shown::difference)
      return some([&](const Match& m) { return m.a == a && m.b == b; });
    // Given both results the sides are named apart, and listed one with the best of the other.
    return some([&](const Match& m) { return m.a == a; }) &&
           some([&](const Match& m) { return m.b == b; });
  }
};

void judge_first(const Judge& by, const Explanation& e, Outcome& o) {
  o.right = o.strict = !e.matches.empty() && by.right_conversions(e.matches.front());
  if (!o.right) o.fault = fmt::format("{}: first {}", by.truth.describe(), o.first);
}

void judge(const Judge& by, const Explanation& e, Outcome& o) {
  const bool holds = o.unchanged
                         ? std::any_of(e.matches.begin(), e.matches.end(),
                                       [](const Match& m) { return m.hypothesis == "fp32"; })
                         : by.holds_truth(e);
  std::string wrong;
  o.strict = holds;
  for (const Match& m : e.matches) {
    if (by.strictly(m)) continue;
    o.strict = false;
    if (wrong.empty() && !by.as_claimed(m)) wrong = m.hypothesis;
  }
  o.right = holds && wrong.empty();
  if (o.right) return;
  o.fault =
      fmt::format("{}: {} the truth{}, first {}", by.truth.describe(), holds ? "holds" : "lacks",
                  wrong.empty() ? "" : ", predicts other bits: " + wrong, o.first);
}

diagnosis::Evidence evidence_of(const Scenery& s, const float* const& input) {
  return {.network = s.network,
          .parameters = s.parameters,
          .rows = s.rows,
          .inputs = {&input, 1},
          .quantity = diagnosis::Quantity::outputs,
          .a = {},
          .b = {},
          .difference = {},
          .absolute_sum = {}};
}

}  // namespace

Outcome naming_trial(std::uint64_t seed, const Hypothesis& h, Shown shown) {
  const Truth truth = draw_truth(seed, h, shown == Shown::unknown_order);
  const std::vector<double> d = difference(truth.y_a, truth.y_b);
  const float* const input = truth.scenery.input.data();
  diagnosis::Evidence evidence = evidence_of(truth.scenery, input);
  if (shown == Shown::difference) {
    evidence.difference = d;
  } else {
    evidence.a = truth.y_a;
    evidence.b = truth.y_b;
  }
  Outcome o;
  const auto start = std::chrono::steady_clock::now();
  const Explanation e = diagnosis::explain(evidence);
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  o.unchanged = truth.unchanged();
  o.named = e.matches.size();
  if (!e.matches.empty()) o.first = e.matches.front().hypothesis;
  if (shown == Shown::difference && e.differing == 0) {
    // Where nothing differs there is nothing to name.
    o.right = o.strict = e.conclusion == diagnosis::Conclusion::equal;
    o.first = "equal";
    return o;
  }
  if (shown == Shown::unknown_order)
    judge_first({truth, shown}, e, o);
  else
    judge({truth, shown}, e, o);
  return o;
}

}  // namespace ulpfuzz::bench
