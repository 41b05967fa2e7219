#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine.hpp"
#include "signature.hpp"

namespace ulpfuzz::diagnosis {
namespace {

const Hypothesis* hypothesis(std::string_view name) {
  const auto all = hypotheses();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Hypothesis& h) { return h.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// Layers (counted from 1) that compute as `name`.
std::vector<std::size_t> layers_with(const std::vector<std::string>& side, std::string_view name) {
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < side.size(); ++i)
    if (side[i] == name) layers.push_back(i + 1);
  return layers;
}

std::string numbered(const std::vector<std::size_t>& layers) {
  std::string text = layers.size() > 1 ? "layers " : "layer ";
  for (std::size_t i = 0; i < layers.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(layers[i]);
  return text;
}

std::string on_side(char side, bool named) {
  return named ? fmt::format("on side {}", side) : "on one side";
}

/// "layer 1 fp32 on one side, TF32 everywhere else": whichever of the two is less to say.
std::string where(const Match& m, std::string_view name, std::string_view word, bool named) {
  const auto own_a = layers_with(m.a, name), own_b = layers_with(m.b, name);
  const auto plain_a = layers_with(m.a, "fp32"), plain_b = layers_with(m.b, "fp32");
  const std::size_t own = own_a.size() + own_b.size(), plain = plain_a.size() + plain_b.size();
  if (plain == 0) return fmt::format("{} in all layers on both sides", word);
  if (plain_a.empty() && own_b.empty())
    return fmt::format("{} in all layers {}, fp32 on the other", word, on_side('a', named));
  if (plain_b.empty() && own_a.empty())
    return fmt::format("{} in all layers {}, fp32 on the other", word, on_side('b', named));
  if (plain_b.empty() && plain < own)
    return fmt::format("{} fp32 {}, {} everywhere else", numbered(plain_a), on_side('a', named),
                       word);
  if (plain_a.empty() && plain < own)
    return fmt::format("{} fp32 {}, {} everywhere else", numbered(plain_b), on_side('b', named),
                       word);
  if (own_b.empty())
    return fmt::format("{} in {} {}, fp32 everywhere else", word, numbered(own_a),
                       on_side('a', named));
  if (own_a.empty())
    return fmt::format("{} in {} {}, fp32 everywhere else", word, numbered(own_b),
                       on_side('b', named));
  return fmt::format("{} in {} on side a and in {} on side b, fp32 everywhere else", word,
                     numbered(own_a), numbered(own_b));
}

/// Of a class on one or both sides. A class that is no matter of layers: on which side.
std::string of_class(const Match& m, const Hypothesis& h, bool named) {
  if (h.name == "fp32") return h.words;
  if (whole(h)) {
    const bool a = !layers_with(m.a, h.name).empty(), b = !layers_with(m.b, h.name).empty();
    const std::string side = a && b ? "on both sides" : on_side(a ? 'a' : 'b', named);
    return fmt::format("{} {}", h.words, side);
  }
  const std::size_t comma = h.words.find(',');
  const std::string rest = comma == std::string::npos ? "" : h.words.substr(comma);
  return where(m, h.name, h.words.substr(0, comma), named) + rest;
}

/// The classes that a match names: one, or of each side its own.
std::vector<const Hypothesis*> classes(const Match& m) {
  std::vector<const Hypothesis*> found;
  for (const auto* side : {&m.a, &m.b})
    for (const std::string& name : *side) {
      const Hypothesis* h = hypothesis(name);
      if (h != nullptr && h->name != "fp32" &&
          std::find(found.begin(), found.end(), h) == found.end())
        found.push_back(h);
    }
  return found;
}

std::string cause_of(const Match& m, bool named) {
  if (const Signature* p = signature(m.hypothesis))
    return fmt::format("{}: {}", m.hypothesis, p->words);
  const auto found = classes(m);
  if (found.empty()) return hypotheses().front().words + " on both sides";
  if (found.size() == 1) return of_class(m, *found.front(), named);
  const auto alone = [&](const std::vector<std::string>& side) {
    const auto layers = layers_with(side, "fp32");
    std::string text = layers.empty() ? "" : fmt::format(" ({} fp32)", numbered(layers));
    for (const std::string& name : side)
      if (name != "fp32") return hypothesis(name)->words + text;
    return std::string("fp32");
  };
  return fmt::format("{} on side a, {} on side b", alone(m.a), alone(m.b));
}

std::string remedy_of(const Match& m) {
  if (const Signature* p = signature(m.hypothesis)) return std::string(p->remedy);
  const auto found = classes(m);
  return found.empty() ? hypotheses().front().remedy : found.front()->remedy;
}

/// Parts left of what is seen: with more a prediction explains nothing; with less it correlates
/// with what is seen by sqrt(1 - left^2) > 0.9.
constexpr double most_left = 0.7, little_left = 0.43;

bool predicts_most(const Match& m) { return m.telling > 0 && 2 * m.telling_exact > m.telling; }

/// Whether nothing that is known comes near.
bool is_poor(const Explanation& e, const Match& m) {
  if (signature(m.hypothesis) != nullptr || m.exact == e.elements) return false;
  if (m.hypothesis == "fp32")
    return e.conclusion == Conclusion::other_cause || e.conclusion == Conclusion::suspicious;
  return m.left > most_left && !predicts_most(m);
}

std::string support(const Match& m, std::size_t elements) {
  if (m.exact == elements && elements > 0)
    return fmt::format("very high: all {} values are predicted bit for bit", elements);
  const std::string counts = fmt::format(
      "{} of {} values predicted bit for bit, residual {:.2g} typical fp32 deviations, "
      "correlation {:.6f}",
      m.exact, elements, m.residual_sigmas, m.correlation);
  if (signature(m.hypothesis) != nullptr
          ? 2 * m.exact > elements || m.residual_sigmas < 2
          : predicts_most(m) || (m.residual_sigmas < 2 && m.left < little_left))
    return "high: " + counts;
  if (signature(m.hypothesis) != nullptr ? m.correlation > 0.9 : m.left < little_left)
    return "moderate: " + counts;
  return "low, no hypothesis explains it well: " + counts;
}

/// Of fp32 in an order that is none of those tried: what its bound and typical size say.
std::string support_by_bound(const Explanation& e, const Match& m) {
  const std::string share = e.typical_rms > 0 ? fmt::format("{:.2g} of what usual orders give",
                                                            e.observed_rms / e.typical_rms)
                                              : "";
  std::string text =
      e.judged == e.elements
          ? fmt::format("within the sound bound in all {} elements", e.elements)
          : fmt::format("within the sound bound in all {} elements that have one, of {}", e.judged,
                        e.elements);
  if (e.conclusion == Conclusion::reordering)
    text = "high: " + text + (share.empty() ? "" : " and of typical size, " + share);
  else
    text =
        fmt::format("low: {} but not of typical size, {}; no arithmetic that is known fits better",
                    text, share);
  return 2 * m.exact > e.elements
             ? fmt::format("{}; {} predicted bit for bit", text, m.exact)
             : text + "; the order of the sums is none of those that are tried";
}

/// NaN or infinity for a finite value, and no match that says why.
bool is_unpredicted_nonfinite(const Explanation& e) {
  if (!std::isinf(e.difference_max)) return false;
  if (e.matches.empty()) return true;
  const Match& best = e.matches.front();
  return best.exact != e.elements && signature(best.hypothesis) == nullptr;
}

}  // namespace

namespace {

bool agree_and_are_wrong(const Explanation& e) {
  return e.wrong_side == "both" && e.ratio_max <= 1;
}

std::string unexplained(const Explanation& e) {
  if (e.conclusion == Conclusion::suspicious)
    return "unexplained: larger than usual fp32 orders give, within the sound bound";
  if (agree_and_are_wrong(e))
    return "unexplained: both results agree, and no arithmetic and no slip that is known gives "
           "them: they are probably of another network";
  return "unexplained: no arithmetic and no slip that is known gives this";
}

std::string remedy_of_unexplained(const Explanation& e) {
  if (agree_and_are_wrong(e))
    return "check the network file (activations, epsilons, transposed weights), the weights and "
           "the input rows";
  return "shrink the case and look at the first operation that differs";
}

}  // namespace

void put_in_words(const Evidence& evidence, Explanation& e) {
  if (e.conclusion == Conclusion::equal && e.judged == 0) {
    e.matches.clear();
    e.cause = "none: no element differs";
    return;
  }
  if (e.conclusion == Conclusion::undecidable) {
    e.matches.clear();
    e.cause = "unknown: the right values are not finite or may overflow, or no bound is known";
    e.remedy = "give rows whose inputs and outputs are finite";
    return;
  }
  if (is_unpredicted_nonfinite(e)) {
    const std::string_view side = e.wrong_side == "both" ? " on both sides"
                                  : e.wrong_side == "a"  ? " on side a"
                                  : e.wrong_side == "b"  ? " on side b"
                                                         : "";
    e.matches.clear();
    e.cause = fmt::format("NaN or infinity{} where the right value is finite", side);
    e.remedy =
        "look for an overflow in a narrow format (fp16 ends at 65504), a division by zero, or "
        "memory that was never written";
    e.confidence = "certain: no rounding gives NaN or infinity here";
    return;
  }
  if (e.matches.empty()) {
    const bool plain = e.conclusion == Conclusion::reordering || e.conclusion == Conclusion::equal;
    e.cause = plain ? hypotheses().front().words : unexplained(e);
    e.unexplained = !plain;
    e.remedy = plain ? hypotheses().front().remedy : remedy_of_unexplained(e);
    return;
  }
  const Match& best = e.matches.front();
  if (e.cause.empty()) e.cause = cause_of(best, !evidence.a.empty());
  e.remedy = remedy_of(best);
  const bool by_bound =
      e.conclusion == Conclusion::reordering || e.conclusion == Conclusion::suspicious;
  e.confidence = by_bound && best.hypothesis == "fp32" && best.exact != e.elements
                     ? support_by_bound(e, best)
                     : support(best, e.elements);
  if (e.unjudged_differing > 0) e.confidence = "of the judged elements only: " + e.confidence;
  if (!is_poor(e, best)) return;
  e.unexplained = true;
  e.remedy = remedy_of_unexplained(e);
  const bool near = best.hypothesis != "fp32" && best.left < 0.87 && best.correlation >= 0.5;
  e.cause = unexplained(e) + (near ? "; nearest: " + e.cause : "");
  if (!near && e.conclusion == Conclusion::other_cause)
    e.confidence = "certain that it is not fp32 reordering; no hypothesis explains it";
}

}  // namespace ulpfuzz::diagnosis
