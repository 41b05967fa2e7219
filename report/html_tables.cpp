#include <fmt/format.h>

#include <algorithm>

#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

/// A phase's time as a bar, and its budget as a line, both of `most` seconds.
std::string time_bar(const Phase& p, double most) {
  if (!(std::max(p.seconds, p.budget) > 0)) return {};
  const auto across = [most](double s) { return pixels(std::clamp(200 * s / most, 0.0, 200.0)); };
  std::string svg =
      fmt::format("<rect class=\"spent\" x=\"0\" y=\"2\" width=\"{}\" height=\"10\" rx=\"2\"/>",
                  across(p.seconds));
  if (p.budget > 0)
    svg += fmt::format(
        "<rect class=\"budget\" x=\"0.5\" y=\"2.5\" width=\"{}\" height=\"9\" rx=\"2\"/>",
        across(p.budget));
  return "<svg class=\"times\" viewBox=\"0 0 201 14\" aria-hidden=\"true\">" + svg + "</svg>";
}

/// What is spare is left out on a screen without room for columns.
enum class Column { always, spare };

std::string number(std::uint64_t n, Column column = Column::always) {
  return fmt::format("<td class=\"n{}{}\" data-v=\"{}\">{}</td>", n == 0 ? " zero" : "",
                     column == Column::spare ? " spare" : "", n, with_commas(n));
}

std::string time(double seconds) {
  return seconds > 0 ? "<td class=\"n\">" + duration(seconds) + "</td>"
                     : "<td class=\"n zero\">–</td>";
}

std::string phase_row(const Phase& p, double most) {
  const std::string state(name(p.state));
  std::string mark = state;
  std::replace(mark.begin(), mark.end(), ' ', '-');
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td><span class=\"phase {}\">{}</span></td><td "
      "class=\"own\">{}</td>{}{}{}{}<td class=\"note own\">{}</td></tr>\n",
      escape(p.name), mark, state, time_bar(p, most), time(p.seconds), time(p.budget),
      number(p.cases), number(p.buckets), escape(p.note));
}

std::string pair_row(const PairCounts& p) {
  return fmt::format(
      "<tr{}><th scope=\"row\">{}</th><td>{}</td>{}{}{}{}{}{}<td class=\"n\" data-v=\"{}\">"
      "<span class=\"heat h{}\">{}</span></td></tr>\n",
      p.fail > 0 ? " class=\"failed\"" : "", code(p.subject), code(p.property), number(p.cases),
      number(p.pass, Column::spare), number(p.fail), number(p.vacuous),
      number(p.skip, Column::spare), number(p.elements, Column::spare),
      endless(p.share_max) ? 1e308 : p.share_max, heat(p.share_max), page::share(p.share_max));
}

/// What became of the regressions on file; those that do not pass are named.
std::string regressions(const Night& night) {
  if (night.regressions.empty()) return {};
  std::size_t passed = 0, skipped = 0;
  std::string rows;
  for (const auto& [file, answer] : night.regressions) {
    if (answer == "pass") {
      ++passed;
      continue;
    }
    if (answer == "skip") ++skipped;
    rows += fmt::format("<li>{}: {}</li>", code(file),
                        answer == "skip" ? "nothing judged it here" : "fails as " + code(answer));
  }
  const std::size_t failed = night.regressions.size() - passed - skipped;
  return fmt::format(
      "<h3>Regressions on file</h3>\n<p>{}: {} passed, {} failed, {} skipped.</p>\n{}",
      counted(night.regressions.size(), "case"), passed, failed, skipped,
      rows.empty() ? "" : "<ul>" + rows + "</ul>\n");
}

}  // namespace

std::string phases(const Night& night) {
  if (night.phases.empty()) return regressions(night);
  double most = 0;
  for (const Phase& p : night.phases) most = std::max({most, p.seconds, p.budget});
  std::string rows;
  for (const Phase& p : night.phases) rows += phase_row(p, most);
  return fmt::format(
      "<p>Bars: time that was spent; outlined: the budget.</p>\n<div class=\"scroll\" "
      "tabindex=\"0\" "
      "role=\"region\" aria-label=\"Phases\"><table class=\"stack\"><thead><tr><th "
      "scope=\"col\">Phase</th><th "
      "scope=\"col\">State</th><th scope=\"col\">Time</th><th scope=\"col\" "
      "class=\"n\">Spent</th><th "
      "scope=\"col\" class=\"n\">Budget</th><th scope=\"col\" class=\"n\">Cases</th><th "
      "scope=\"col\" "
      "class=\"n\">Buckets</th><th "
      "scope=\"col\">Note</th></tr></thead><tbody>\n{}</tbody></table></div>\n{}",
      rows, regressions(night));
}

std::string pairs(const Night& night) {
  if (night.pairs.empty()) return {};
  std::string rows;
  for (const PairCounts& p : night.pairs) rows += pair_row(p);
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Properties and "
      "subjects\"><table class=\"sortable stack\"><thead><tr><th scope=\"col\">Subject</th><th "
      "scope=\"col\">Property</th><th scope=\"col\" class=\"n\">Cases</th><th scope=\"col\" "
      "class=\"n spare\">Pass</th><th scope=\"col\" class=\"n\">Fail</th><th scope=\"col\" "
      "class=\"n\">Vacuous</th><th scope=\"col\" class=\"n spare\">Skip</th><th "
      "scope=\"col\" "
      "class=\"n spare\">Elements</th><th scope=\"col\" class=\"n\">Worst "
      "share</th></tr></thead><tbody>\n{}"
      "</tbody></table></div>\n",
      rows);
}

}  // namespace ulpfuzz::report::page
