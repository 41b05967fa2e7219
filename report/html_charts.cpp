#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "html_data.hpp"
#include "html_numbers.hpp"
#include "html_parts.hpp"
#include "html_text.hpp"
#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

constexpr std::array<std::string_view, 6> tiers{"bit_equal",     "exact",      "sound",
                                                "probabilistic", "class_only", "none"};

std::string select(const std::string& id, const std::string& label,
                   const std::set<std::string>& words, const std::string& all) {
  std::string options = all.empty() ? "" : "<option value=\"\">" + all + "</option>";
  for (const std::string& word : words)
    options += fmt::format("<option value=\"{0}\">{0}</option>", escape(word));
  return fmt::format("<label class=\"choice\" hidden>{} <select id=\"{}\">{}</select></label>",
                     label, id, options);
}

std::string histogram(const Night& night) {
  std::uint64_t judged = 0, equal = 0, far = 0;
  std::set<std::string> properties, subjects;
  for (const PairCounts& p : night.pairs) {
    properties.insert(p.property);
    subjects.insert(p.subject);
    equal += p.shares[0];
    for (std::size_t i = 0; i < share_bins; ++i) {
      judged += p.shares[i];
      if (i >= share_bin(0.25)) far += p.shares[i];
    }
  }
  if (judged == 0) return {};
  const std::string words = fmt::format(
      "Of {} that were judged, {} had equal bits ({}), and {} came nearer than a quarter to the "
      "bound ({}).",
      counted(judged, "case"), with_commas(equal), percent(equal, judged), with_commas(far),
      percent(far, judged));
  return chart("shares-chart", "Cases by their largest share", words,
               "<span class=\"choices\">" +
                   select("shares-property", "Property", properties, "all") +
                   select("shares-subject", "Subject", subjects, "all") + "</span>");
}

struct Peak {
  double share = 0, seconds = 0;
  std::string phase;
};

std::string peaks(const Night& night, std::set<std::string>& properties) {
  std::map<std::string, std::map<std::string, Peak>> largest;
  for (const Sample& s : night.over_time)
    for (const auto& [property, by_tier] : s.line.share)
      for (const auto& [tier, value] : by_tier) {
        Peak& peak = largest[property][tier];
        if (peak.phase.empty() || value > peak.share) peak = {value, s.line.seconds, s.phase};
      }
  std::string rows;
  for (const auto& [property, by_tier] : largest) {
    properties.insert(property);
    for (const auto& [tier, peak] : by_tier)
      rows += fmt::format(
          "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td "
          "class=\"n\">{}</td><td>{}</td></tr>\n",
          escape(property), escape(tier), page::share(peak.share), duration(peak.seconds),
          escape(peak.phase));
  }
  if (rows.empty()) return {};
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Largest "
         "shares\"><table class=\"stack\"><caption>Largest share of each tier, and "
         "when it was "
         "met</caption><thead><tr>"
         "<th scope=\"col\">Property</th><th scope=\"col\">Tier</th><th scope=\"col\" "
         "class=\"n\">Share</th><th "
         "scope=\"col\" class=\"n\">After</th><th scope=\"col\">Phase</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string share_over_time(const Night& night) {
  std::set<std::string> properties;
  const std::string table = peaks(night, properties);
  if (table.empty()) return {};
  return chart("time-chart", "Largest share over time",
               "By the tier that judged it, since the sample before. The bound is at 1.",
               "<span class=\"choices\">" + select("time-property", "Property", properties, "") +
                   "</span>") +
         table;
}

std::string tier_table(const Night& night) {
  std::uint64_t all = 0;
  for (const auto& [tier, n] : night.elements_by_tier) all += n;
  if (all == 0) return {};
  std::string rows;
  for (const std::string_view tier : tiers) {
    const auto found = night.elements_by_tier.find(std::string(tier));
    const std::uint64_t n = found == night.elements_by_tier.end() ? 0 : found->second;
    rows += fmt::format(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td></tr>\n",
        tier, meter(static_cast<double>(n) / static_cast<double>(all)), percent(n, all),
        short_count(n));
  }
  return "<table class=\"bars\"><caption>Elements by the argument that judged "
         "them</caption><tbody>\n" +
         rows + "</tbody></table>\n";
}

std::string night_row(const EarlierNight& n) {
  std::string text = fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td>",
                                 code(n.date.empty() ? n.id : n.date), n.exit_code);
  for (std::size_t state = 0; state < bucket_states; ++state) {
    const auto found = n.buckets.find(std::string(name(static_cast<BucketState>(state))));
    const std::uint64_t count = found == n.buckets.end() ? 0 : found->second;
    text += fmt::format("<td class=\"n{}\">{}</td>", count == 0 ? " zero" : "", with_commas(count));
  }
  return text + fmt::format(
                    "<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
                    "class=\"n\">{:.1f}%</td></tr>\n",
                    with_commas(n.cases),
                    with_commas(static_cast<std::uint64_t>(n.cases_per_second)),
                    page::share(n.share_max), 100 * n.stability);
}

std::string night_table(const std::vector<EarlierNight>& nights) {
  std::string rows, states;
  for (std::size_t state = 0; state < bucket_states; ++state)
    states +=
        fmt::format("<th scope=\"col\" class=\"n\">{}</th>", name(static_cast<BucketState>(state)));
  for (auto n = nights.rbegin(); n != nights.rend(); ++n) rows += night_row(*n);
  return "<details><summary>The nights as a table, latest first</summary>\n<div class=\"scroll\" "
         "tabindex=\"0\" "
         "role=\"region\" aria-label=\"Nights\"><table class=\"stack\"><thead><tr><th "
         "scope=\"col\">Night</th><th "
         "scope=\"col\" "
         "class=\"n\">Exit</th>" +
         states +
         "<th scope=\"col\" class=\"n\">Cases</th><th scope=\"col\" class=\"n\">Cases/s</th><th "
         "scope=\"col\" "
         "class=\"n\">Worst share</th><th scope=\"col\" "
         "class=\"n\">Stable</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div></details>\n";
}

}  // namespace

std::string shares(const Night& night) {
  return histogram(night) + share_over_time(night) + tier_table(night);
}

std::string throughput(const Night& night) {
  std::vector<double> rates;
  for (const Point& p : points(night))
    if (p.rate) rates.push_back(*p.rate);
  if (rates.empty()) return {};
  std::sort(rates.begin(), rates.end());
  const auto whole = [](double rate) {
    return with_commas(static_cast<std::uint64_t>(rate + 0.5));
  };
  return chart(
      "rate-chart", "Cases per second",
      fmt::format("Median {}; between {} and {}. Shrinking and starting anew count as time.",
                  whole(rates[rates.size() / 2]), whole(rates.front()), whole(rates.back())));
}

std::string trend(const Night& night) {
  if (night.trend.empty())
    return "<p class=\"quiet\">This is the first night of this corpus.</p>\n";
  const std::vector<EarlierNight> nights = shown_nights(night);
  std::uint64_t red = 0;
  for (const EarlierNight& n : nights) red += n.exit_code == 1 || n.exit_code == 3;
  const std::string words =
      fmt::format("{}, this one last; {} red.", counted(nights.size(), "night"), with_commas(red));
  return "<div class=\"charts\">" + chart("trend-buckets", "Buckets by state", words) +
         chart("trend-rate", "Cases per second", "Of the whole night.") +
         chart("trend-share", "Worst share", "The bound is at 1.") +
         chart("trend-stable", "Stability",
               "Part of the replayed corpus that showed the same features twice.") +
         "</div>\n" + night_table(nights);
}

}  // namespace ulpfuzz::report::page
