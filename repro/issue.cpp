#include <fmt/format.h>

#include <cmath>

#include "issue_words.hpp"
#include "plain_words.hpp"
#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {
namespace {

std::string number(double x) { return fmt::format("{:.9g} | `{:a}`", x, x); }

std::string what_happens(const Failure& f) {
  const ElementEvidence& e = f.verdict.worst;
  std::string text = fmt::format("`{}` is given the network\n\n    {}\n\n", f.subject.name(),
                                 describe(f.value.network));
  if (e.where.empty())
    return text + fmt::format("on {}: {}.\n", batch_words(f.value), f.verdict.reason);
  text += fmt::format("on {}. Element {} comes out as {:.9g} from {}{}", batch_words(f.value),
                      e.where, e.a, e.path_a,
                      e.path_b == "reference"
                          ? fmt::format("; the exact result is {:.9g}.", e.reference)
                          : fmt::format(" and as {:.9g} from {}.", e.b, e.path_b));
  const std::string more = severity(f);
  return text + (more.empty() ? "" : " ") + more + "\n";
}

std::string expected(const Failure& f) {
  const std::string claim = sentence(claim_in_words(f));
  const std::string bound = bound_in_words(f);
  return fmt::format("{}.{}{}\n", claim, bound.empty() ? "" : " ", bound);
}

std::string observed(const Failure& f) {
  const ElementEvidence& e = f.verdict.worst;
  if (e.where.empty()) return "";
  std::string text = fmt::format("Element: {}\n\n| | value | exactly |\n|---|---|---|\n", e.where);
  text += fmt::format("| {} | {} |\n", e.path_a, number(double{e.a}));
  if (e.path_b != "reference") text += fmt::format("| {} | {} |\n", e.path_b, number(double{e.b}));
  if (e.tier != Tier::bit_equal)  // then nothing exact was asked
    text += fmt::format("| exact result | {} |\n", number(e.reference));
  text += fmt::format("| difference | {} |\n", number(e.difference));
  if (judged_by_size(f)) {
    text += fmt::format("| bound | {} |\n", number(e.bound));
    if (e.bound > 0) text += fmt::format("| difference / bound | {:.3g} | |\n", e.share);
  }
  if (std::isfinite(e.a) && std::isfinite(e.b) && e.path_b != "reference")
    text += fmt::format("| distance | {} ulp | |\n", e.ulps);
  return text;
}

std::string cause(const Failure& f) {
  std::string text = cause_in_words(f);
  if (text.empty()) return "";
  const bool said = f.verdict.failure == FailureClass::not_bitwise;
  if (!f.verdict.first_op.empty() && !said)
    text += fmt::format(" The first op whose result is off is `{}`.", f.verdict.first_op);
  return text + "\n";
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += fmt::format("- {}\n", one_line(item));
  return text;
}

std::string environment(const std::map<std::string, std::string>& all) {
  std::string text = all.empty() ? "" : "| | |\n|---|---|\n";
  for (const auto& [name, value] : all) text += fmt::format("| {} | {} |\n", name, value);
  return text;
}

std::string fenced(std::string_view language, std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return fmt::format("```{}\n{}```\n", language, text);
}

std::string fence_name(Language language) {
  return language == Language::cpp ? "cpp" : language == Language::cuda ? "cuda" : "python";
}

}  // namespace

std::string issue(const Failure& failure, Language language, const std::string& file,
                  const Surroundings& around) {
  std::string text = fmt::format("# {}\n\n", title(failure));
  const auto section = [&text](std::string_view name, const std::string& body) {
    if (!body.empty()) text += fmt::format("## {}\n\n{}\n", name, body);
  };
  section("What happens", what_happens(failure));
  section("Expected", expected(failure));
  section("Observed", observed(failure));
  section("To reproduce",
          fmt::format("Save as `{}`; the first line is the command. It ends with 1 while the fault "
                      "is there, else with 0.\n\n{}",
                      file, fenced(fence_name(language), program(failure, language, file))));
  section("Where failing turns into passing", list(around.boundaries));
  section("Cause", cause(failure));
  if (!around.dissection.empty())
    section("What matters in the case", fenced("text", around.dissection));
  section("Environment", environment(around.environment));
  if (!around.command.empty()) section("Replaying with ulpfuzz", fenced("sh", around.command));
  text.pop_back();
  return text;
}

}  // namespace ulpfuzz::repro
