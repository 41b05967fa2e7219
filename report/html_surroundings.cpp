#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

std::string reasons(const std::string& title, const Counts& counts, std::uint64_t all) {
  const auto sorted = by_frequency(counts);
  constexpr std::size_t most = 15;
  std::string rows;
  for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i)
    rows += fmt::format("<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                        with_commas(sorted[i].second), percent(sorted[i].second, all),
                        escape(sorted[i].first));
  if (rows.empty()) return {};
  const std::string more =
      sorted.size() <= most
          ? ""
          : fmt::format("<p>and {} more, in summary.json</p>\n", sorted.size() - most);
  return fmt::format(
      "<h3>{}</h3>\n<table class=\"reasons\"><thead><tr><th scope=\"col\" "
      "class=\"n\">Cases</th><th "
      "scope=\"col\" class=\"n\">Of all</th><th scope=\"col\">Reason</th></tr></thead><tbody>\n{}"
      "</tbody></table>\n{}",
      title, rows, more);
}

std::string listing(const std::string& title, const std::map<std::string, std::string>& entries) {
  std::string items;
  for (const auto& [key, value] : entries)
    items += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape(key), escape(value));
  if (items.empty()) return {};
  return fmt::format("<h3>{}</h3>\n<dl class=\"facts\">{}</dl>\n", title, items);
}

std::string shards(const Night& night) {
  if (night.shards.empty()) return {};
  std::string items;
  for (const std::string& id : night.shards) items += "<li>" + code(id) + "</li>";
  return fmt::format("<h3>Merged from {}</h3>\n<ul class=\"ids\">{}</ul>\n",
                     counted(night.shards.size(), "night"), items);
}

std::map<std::string, std::string> night_entries(const Night& night) {
  std::map<std::string, std::string> entries = night.options;
  entries["seed"] = fmt::format("{}", night.seed);
  return entries;
}

}  // namespace

std::string surroundings(const Night& night) {
  std::map<std::string, std::string> machine = night.environment.machine;
  if (!night.environment.claim.empty()) machine["claim"] = night.environment.claim;
  return reasons("Why cases were vacuous", night.vacuous_reasons, night.cases) +
         reasons("Why cases were skipped", night.skip_reasons, night.cases) +
         listing("Asked for", night_entries(night)) + listing("Machine", machine) +
         listing("Subjects", night.environment.subjects) +
         listing("Environment variables", night.environment.variables) + shards(night);
}

std::string how_to(const Night& night) {
  std::string rows;
  for (const int exit : {0, 1, 2, 3, 4, 5, 6})
    rows += fmt::format("<tr{}><th scope=\"row\">{}{}</th><td>{}</td></tr>\n",
                        !night.running && exit == night.exit_code ? " class=\"this\"" : "", exit,
                        !night.running && exit == night.exit_code ? " (this night)" : "",
                        exit == 2 ? "wrong usage, or a file that cannot be read: no night"
                                  : escape(exit_code_meaning(exit)));
  return "<p>Commands are to be given in the folder of this page. A smallest case replays in a "
         "fresh process, "
         "against the library that is installed now:</p>\n"
         "<div class=\"code\" data-name=\"command\"><pre tabindex=\"0\"><code>ulpfuzz replay "
         "findings/BUCKET/"
         "minimal.case.json</code></pre></div>\n"
         "<p>A bucket that is to be quiet for a time goes on the list of known ones, with an owner "
         "and a "
         "date.</p>\n<table class=\"exits\"><caption>Exit "
         "codes</caption><thead><tr><th "
         "scope=\"col\">Code</th><th scope=\"col\">Meaning</th></tr></thead><tbody>\n" +
         rows + "</tbody></table>\n";
}

}  // namespace ulpfuzz::report::page
