#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain_report.hpp"

namespace ulpfuzz::tool {
namespace {

using diagnosis::Conclusion;
using diagnosis::Explanation;
using diagnosis::Match;

constexpr std::size_t columns = 100;
constexpr std::size_t label_width = 13;
constexpr std::size_t most_notes = 6;

/// Labelled paragraphs, broken between words.
class Page {
 public:
  std::string text;

  void entry(std::string_view label, std::string_view words) {
    if (words.empty()) return;
    text += fmt::format("{:<{}}", label, label_width);
    std::size_t column = label_width;
    while (!words.empty()) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(word.size() + 1, words.size()));
      if (column > label_width && column + 1 + word.size() > columns) {
        text += fmt::format("\n{:{}}", "", label_width);
        column = label_width;
      } else if (column > label_width) {
        text += ' ';
        ++column;
      }
      text += word;
      column += word.size();
    }
    text += '\n';
  }
  void gap() { text += '\n'; }
};

std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.3g}", x) : "not finite"; }

std::string count_of(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::vector<std::string> layer_names(const Network& network) {
  std::vector<std::string> names;
  for (const Node& node : network.nodes()) {
    if (node.op != Op::linear && node.op != Op::matmul) continue;
    names.push_back(fmt::format("{}  {}({} -> {})", names.size() + 1, name(node.op),
                                network.node(node.args[0]).shape.cols, node.shape.cols));
  }
  return names;
}

std::string head(std::string_view side, std::size_t batch) {
  return batch == 0 ? std::string(side) : fmt::format("{} (batch {})", side, batch);
}

// Signatures that are no arithmetic have no layers.
void layer_table(Page& page, const Match& match, const Network& network, const Question& q) {
  const std::vector<std::string> names = layer_names(network);
  if (names.empty() || match.a.size() != names.size() || match.b.size() != names.size()) return;
  std::size_t first = 5, second = head("a", q.batch_a).size();
  for (const auto& name : names) first = std::max(first, name.size());
  for (const auto& a : match.a) second = std::max(second, a.size());
  const auto row = [&](std::string_view layer, std::string_view a, std::string_view b) {
    page.text += fmt::format("  {:<{}}  {:<{}}  {}\n", layer, first, a, second, b);
  };
  page.gap();
  row("layer", head("a", q.batch_a), head("b", q.batch_b));
  for (std::size_t i = 0; i < names.size(); ++i) row(names[i], match.a[i], match.b[i]);
}

void prediction(Page& page, const Explanation& e) {
  const bool near = !e.unexplained || e.cause.find("; nearest: ") != std::string::npos;
  if (e.matches.empty() || !near) return;
  const Match& best = e.matches[0];
  // fp32 in an order that is not known: no other order says anything about single bits.
  const bool unknown_order = best.hypothesis == "fp32" && e.conclusion != Conclusion::other_cause;
  if (unknown_order && 2 * best.exact <= e.elements && best.correlation < 0.9) return;
  std::string words =
      fmt::format("{} of {} bit for bit", best.exact, count_of(e.elements, "element"));
  if (std::isfinite(best.residual_rms))
    words += fmt::format("; unexplained {} rms, {} sigma of fp32 orders", number(best.residual_rms),
                         number(best.residual_sigmas));
  if (std::isfinite(best.correlation) && best.correlation != 0)
    words += fmt::format("; correlation {:.6f}", best.correlation);
  page.entry("prediction", words);
}

std::string ulps(std::uint64_t n) {
  return n < 1'000'000 ? count_of(n, "ulp") : fmt::format("{:.1e} ulps", static_cast<double>(n));
}

void worst_element(Page& page, const Explanation& e) {
  const diagnosis::WorstElement& worst = e.worst;
  if (worst.where.empty()) return;
  page.entry("worst",
             fmt::format("{}: difference {}, bound {}, ratio {}; reference {:.9g}{}", worst.where,
                         number(worst.difference), number(worst.bound), number(e.ratio_max),
                         worst.reference, worst.ulps ? "; " + ulps(*worst.ulps) : ""));
}

// Sizes are those of elements that a bound speaks of.
std::string sizes_of_differences(const Explanation& e) {
  if (e.differing > 0 && e.difference_max == 0)
    return e.conclusion == Conclusion::undecidable ? ", none of which a bound speaks of"
                                                   : ", in the sign of zero";
  if (!std::isfinite(e.difference_max)) return "; some against NaN or infinity";
  return fmt::format("; largest {}, rms {}", number(e.difference_max), number(e.observed_rms));
}

void differences(Page& page, const Explanation& e) {
  page.entry("differences", fmt::format("{} of {}{}", e.differing, count_of(e.elements, "element"),
                                        sizes_of_differences(e)));
  if (e.conclusion == Conclusion::undecidable) return;
  if (e.conclusion != Conclusion::equal) worst_element(page, e);
  page.entry(
      "reordering",
      fmt::format("fp32 in another order can give at most {} here, and typically gives {} rms",
                  number(e.reorder_bound_max), number(e.typical_rms)));
  if (e.conclusion != Conclusion::equal) prediction(page, e);
}

// Of a sum nothing is known element by element.
void sum_of_differences(Page& page, const Explanation& e) {
  page.entry("differences",
             fmt::format("{} in all, over {}; {} of the bound", number(e.difference_max),
                         count_of(e.elements, "element"), number(e.ratio_max)));
  page.entry(
      "reordering",
      fmt::format("fp32 in another order can give at most {} in all here, and typically gives {}",
                  number(e.reorder_bound_max),
                  number(e.typical_rms * static_cast<double>(e.elements))));
}

}  // namespace

std::string explanation_text(const Explanation& e, const Network& network,
                             const Question& question) {
  Page page;
  page.entry("verdict", e.verdict);
  page.entry("cause", e.cause);
  const bool named = !e.matches.empty() && !e.unexplained;
  if (named && e.conclusion != Conclusion::equal)
    layer_table(page, e.matches[0], network, question);
  page.gap();
  question.difference_sum ? sum_of_differences(page, e) : differences(page, e);
  page.entry("wrong side", e.wrong_side);
  page.entry("remedy", e.remedy);
  page.entry("confidence", e.confidence);
  const std::size_t shown = std::min(e.notes.size(), most_notes);
  for (std::size_t i = 0; i < shown; ++i) page.entry("note", e.notes[i]);
  if (shown < e.notes.size())
    page.entry("note", fmt::format("{} more with --json", e.notes.size() - shown));
  return page.text;
}

}  // namespace ulpfuzz::tool
