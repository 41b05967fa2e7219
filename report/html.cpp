#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "html_page.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "ulpfuzz/report/reports.hpp"

namespace ulpfuzz::report {
namespace {

using page::Embedded;

/// For cards of buckets, with their programs: a page stays below a megabyte, Chart.js included.
constexpr std::size_t room_for_cards = 600'000;

std::string source(const Embedded& file) {
  return fmt::format(" 'sha256-{}'", page::base64_of_hex(file.sha256));
}

/// Nothing is fetched, and only what the library brings is run: even markup that came through from
/// a night could not.
std::string policy() {
  return "default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; style-src" +
         source(page::css) + "; script-src" + source(page::theme_js) + source(page::chart_js) +
         source(page::charts_js) + source(page::page_js);
}

struct Section {
  const char* id;
  const char* title;
  std::string body;
};

std::vector<Section> sections(const Night& night, const std::filesystem::path& folder) {
  return {{"buckets", "Buckets", page::buckets(night, folder, room_for_cards)},
          {"phases", "Phases", page::phases(night)},
          {"shares", "Shares of the bounds", page::shares(night)},
          {"sizes", "Worst share by size", page::worst_by_size(night)},
          {"throughput", "Throughput", page::throughput(night)},
          {"coverage", "Coverage", page::coverage(night)},
          {"trend", "Trend across nights", page::trend(night)},
          {"pairs", "Properties and subjects", page::pairs(night)},
          {"surroundings", "Surroundings", page::surroundings(night)},
          {"how-to", "How to go on", page::how_to(night)}};
}

std::string night_words(const Night& night) {
  std::string words = page::code(night.id);
  if (!night.date.empty())
    words += fmt::format(" <time datetime=\"{0}\">{0}</time>", page::escape(night.date));
  return words;
}

}  // namespace

std::string to_html(const Night& night, const std::filesystem::path& folder) {
  std::string toc, body;
  for (const Section& s : sections(night, folder)) {
    if (s.body.empty()) continue;
    toc += fmt::format("<a href=\"#{}\">{}</a>", s.id, s.title);
    body += page::section(s.id, s.title, s.body);
  }
  const auto version = night.environment.machine.find("ulpfuzz");
  const std::string by = version == night.environment.machine.end()
                             ? ""
                             : fmt::format(" {}", page::escape(version->second));
  return page::fill(
      page::html.text,
      {{"policy", policy()},
       {"title", "ulpfuzz: " + page::escape(headline(night))},
       {"css", std::string(page::css.text)},
       {"theme_js", std::string(page::theme_js.text)},
       {"night", night_words(night)},
       {"verdict", page::verdict(night)},
       {"toc", toc},
       {"sections", body},
       {"footer", "<p>Written by ulpfuzz" + by +
                      ". The same numbers for machines: <a href=\"./summary.json\">summary.json"
                      "</a>, <a href=\"./junit.xml\">junit.xml</a>, <a href=\"./results.sarif\">"
                      "results.sarif</a>. Charts by Chart.js (MIT licence).</p>"},
       {"data", page::script_json(page::chart_data(night))},
       {"chart_js", std::string(page::chart_js.text)},
       {"charts_js", std::string(page::charts_js.text)},
       {"page_js", std::string(page::page_js.text)}});
}

}  // namespace ulpfuzz::report
