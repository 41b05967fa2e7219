#include <fmt/format.h>

#include <array>

#include "html_data.hpp"
#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

/// A word or two for the exit code, where the headline is a sentence.
std::string stamp(const Night& night) {
  if (night.running) return "Not over";
  switch (night.exit_code) {
    case 0:
      return night.interrupted ? "Nothing new, but cut short" : "Nothing new";
    case 1:
      return "New or open failures";
    case 3:
      return "A failure is back";
    case 4:
      return "No verdict";
    case 5:
      return why_too_little(night).starts_with("nothing") ? "Not published"
                                                          : "Too little was executed";
    case 6:
      return "Only flaky findings";
    default:
      return fmt::format("Exit code {}", night.exit_code);
  }
}

std::string states(const Night& night) {
  std::string items;
  using enum BucketState;
  for (const BucketState state : {returned, fresh, open, known, flaky, fixed}) {
    const std::uint64_t n = count(night, state);
    const std::string word(name(state));
    items += fmt::format("<li class=\"state {0}{1}\">{2}<b>{3}</b> {0}</li>", word,
                         n == 0 ? " none" : "", icon(word), with_commas(n));
  }
  return "<ul class=\"states\" aria-label=\"Buckets by state\">" + items + "</ul>\n";
}

std::string figure(const std::string& value, const std::string& what, const std::string& more) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd><dd class=\"more\">{}</dd></div>", what, value,
                     more);
}

std::string largest_share(const Night& night) {
  const PairCounts* worst = worst_pair(night);
  if (!worst) return {};
  return figure(page::share(worst->share_max), "worst share of a bound",
                escape(worst->subject + ", " + worst->property));
}

std::string figures(const Night& night) {
  const std::uint64_t judged = verdicts(night, "pass") + verdicts(night, "fail");
  std::string all =
      figure(short_count(night.cases), "cases",
             night.cases > 0 ? percent(judged, night.cases) + " judged" : "") +
      figure(
          duration(night.seconds), "duration",
          short_count(static_cast<std::uint64_t>(report::cases_per_second(night))) + " cases/s") +
      figure(short_count(night.elements), "elements compared", "") + largest_share(night);
  if (night.corpus > 0)
    all += figure(with_commas(night.corpus), "cases in the corpus",
                  with_commas(night.corpus_added) + " of them new");
  if (replayed(night))
    all +=
        figure(fmt::format("{:.1f}%", 100 * night.stability), "stable", "of the replayed corpus");
  return "<dl class=\"figures\">" + all + "</dl>\n";
}

std::string notes(const std::string& title, const std::string& items) {
  if (items.empty()) return {};
  return fmt::format(
      "<div class=\"notice\" role=\"note\">{}<div><h2>{}</h2><ul>{}</ul></div></div>\n",
      icon("warn"), title, items);
}

std::string obstacles(const Night& night) {
  std::string errors, gone, stopped;
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(most, night.errors.size()); ++i)
    errors += "<li>" + escape(night.errors[i]) + "</li>";
  if (night.errors.size() > most)
    errors += fmt::format("<li>and {} more, in summary.json</li>", night.errors.size() - most);
  for (const std::string& line : unavailable_lines(night.unavailable))
    gone += "<li>" + escape(line) + "</li>";
  for (const auto& [subject, why] : night.stopped)
    stopped += fmt::format("<li>{}: {}</li>", code(subject), escape(why));
  return notes("Errors of the night itself", errors) + notes("Subjects that could not run", gone) +
         notes("Subjects that were stopped", stopped);
}

std::string remarks(const Night& night) {
  std::string words;
  if (night.running)
    words = "Still running, or killed: the numbers are those of the last time it was written.";
  else if (night.interrupted)
    words = "Stopped by a signal before its time: phases that were cut say so below.";
  else if (night.exit_code == 4)
    words = "What kept it from its work is below; what was found by then is below that.";
  const std::string missing = too_little(night);
  if (!missing.empty())
    words += fmt::format("{}Of note: {}.", words.empty() ? "" : " ", escape(missing));
  return words.empty() ? words : "<p>" + words + "</p>\n";
}

}  // namespace

std::string mood(const Night& night) {
  if (night.running) return "run";
  if (night.exit_code == 0) return night.interrupted ? "warn" : "pass";
  return night.exit_code == 1 || night.exit_code == 3 ? "fail" : "warn";
}

std::string verdict(const Night& night) {
  const std::string which = mood(night);
  const std::string exit =
      night.running ? std::string()
                    : fmt::format(" <span class=\"exit\">exit code {}</span>", night.exit_code);
  return fmt::format(
             "<section class=\"verdict {0}\" aria-labelledby=\"verdict-title\">\n<p "
             "class=\"stamp\">{1}"
             "<span>{2}</span>{3}</p>\n<h1 "
             "id=\"verdict-title\">{4}</h1>\n{5}{6}{7}</section>\n",
             which, icon(which), escape(stamp(night)), exit, escape(headline(night)),
             remarks(night), states(night), figures(night)) +
         obstacles(night);
}

}  // namespace ulpfuzz::report::page
