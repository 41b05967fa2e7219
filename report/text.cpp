#include <fmt/format.h>

#include <algorithm>

#include "ulpfuzz/report/reports.hpp"
#include "words.hpp"

namespace ulpfuzz::report {
namespace {

constexpr std::size_t most_of_a_reason = 500;

std::string capitals(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string totals(const Night& night) {
  std::string text = fmt::format(
      "{} in {} ({} per second), {}, seed {}, began {}\n", counted(night.cases, "case"),
      clock_text(night.seconds), whole(cases_per_second(night)), counted(night.elements, "element"),
      night.seed, night.date.empty() ? "at an unknown time" : one_line(night.date));
  text += fmt::format(
      "verdicts:  pass {}  fail {}  vacuous {} ({})  skip {} ({})\n",
      with_commas(verdicts(night, "pass")), with_commas(verdicts(night, "fail")),
      with_commas(verdicts(night, "vacuous")), percent(verdicts(night, "vacuous"), night.cases),
      with_commas(verdicts(night, "skip")), percent(verdicts(night, "skip"), night.cases));
  if (!night.shards.empty()) text += "merged of: ";
  for (const std::string& id : night.shards)
    text += one_line(id) + (&id == &night.shards.back() ? "\n" : ", ");
  return text;
}

std::string phase_lines(const Night& night) {
  if (night.phases.empty()) return {};
  std::string text = fmt::format("\n{:<12} {:<10} {:>9} {:>9} {:>12} {:>8}\n", "phase", "state",
                                 "time", "budget", "cases", "buckets");
  for (const Phase& p : night.phases) {
    text += fmt::format("{:<12} {:<10} {:>9} {:>9} {:>12} {:>8}", one_line(p.name), name(p.state),
                        clock_text(p.seconds), p.budget > 0 ? clock_text(p.budget) : "-",
                        with_commas(p.cases), with_commas(p.buckets));
    text += p.note.empty() ? "\n" : fmt::format("  {}\n", one_line(p.note));
  }
  return text;
}

/// ": 3 times, worst share 1.2, found in search, 4 nights since NIGHT"
std::string seen(const NightBucket& b) {
  std::string text;
  const auto add = [&text](const std::string& part) {
    text += (text.empty() ? ": " : ", ") + part;
  };
  if (b.bucket.count > 0) add(counted(b.bucket.count, "time"));
  if (b.bucket.share > 0) add("worst share " + share_text(b.bucket.share));
  if (!b.found_in.empty()) add("found in " + one_line(b.found_in));
  if (b.nights > 1)
    add(fmt::format("{} since {}", counted(b.nights, "night"), one_line(b.first_seen)));
  return text;
}

void add_line(std::string& text, std::string_view before, std::string_view what) {
  if (!what.empty()) text += fmt::format("  {}{}\n", before, one_line(what, most_of_a_reason));
}

std::string bucket_lines(const NightBucket& b) {
  std::string text =
      fmt::format("\n{} {}{}\n", capitals(name(b.state)), one_line(b.bucket.id), seen(b));
  if (b.state == BucketState::known)
    text += fmt::format("  {}\n", one_line(state_text(b), most_of_a_reason));
  add_line(text, "", b.comment);
  add_line(text, "", b.bucket.reason);
  if (!b.bucket.met_in.empty())
    text += fmt::format("  met while {} was shrunk\n", one_line(b.bucket.met_in));
  add_line(text, "smallest: ", b.minimal);
  add_line(text, "", b.boundary);
  if (!b.bucket.case_file.empty()) add_line(text, "", b.bucket.case_file.string());
  if (b.state != BucketState::fixed)
    text += b.bucket.tried == 0 ? "  not run again: there was no time\n"
                                : fmt::format("  failed again in {} of {} runs\n",
                                              b.bucket.reproduced, b.bucket.tried);
  for (const std::string& id : b.bucket.also) add_line(text, "also ", id);
  return text;
}

std::string pair_lines(const Night& night) {
  if (night.pairs.empty()) return {};
  constexpr const char* form = "{:<20} {:<22} {:>10} {:>10} {:>6} {:>8} {:>7} {:>14} {:>11}\n";
  std::string text(1, '\n');
  text += fmt::format(form, "property", "subject", "cases", "pass", "fail", "vacuous", "skip",
                      "elements", "worst share");
  for (const PairCounts& p : night.pairs)
    text += fmt::format(form, one_line(p.property), one_line(p.subject), with_commas(p.cases),
                        with_commas(p.pass), with_commas(p.fail), with_commas(p.vacuous),
                        with_commas(p.skip), with_commas(p.elements), share_text(p.share_max));
  return text;
}

std::string reason_lines(const char* title, const std::map<std::string, std::uint64_t>& reasons,
                         std::uint64_t all) {
  if (reasons.empty()) return {};
  const auto sorted = by_frequency(reasons);
  constexpr std::size_t shown = 8;
  std::string text = fmt::format("\n{}:\n", title);
  for (std::size_t i = 0; i < std::min(shown, sorted.size()); ++i)
    text += fmt::format("  {:>10} ({}) {}\n", with_commas(sorted[i].second),
                        percent(sorted[i].second, all), one_line(sorted[i].first));
  if (sorted.size() > shown)
    text += fmt::format("  and {} more, in summary.json\n", sorted.size() - shown);
  return text;
}

/// Nothing where nothing was replayed.
std::string stability_words(const Night& night) {
  if (!replayed(night)) return {};
  return fmt::format("; {:.1f}% of those replayed were stable", 100 * night.stability);
}

std::string corpus_lines(const Night& night) {
  std::string text = "\nelements: ";
  for (const auto& [tier, n] : night.elements_by_tier)
    text += fmt::format(" {} {} ({}) ", one_line(tier), with_commas(n), percent(n, night.elements));
  text += '\n';
  if (night.corpus > 0)
    text += fmt::format("corpus:    {}, {} new{}\n", counted(night.corpus, "case"),
                        with_commas(night.corpus_added), stability_words(night));
  if (!night.trend.empty()) text += fmt::format("trend:     {}\n", trend_line(night));
  return text;
}

std::string trouble_lines(const Night& night) {
  std::string text;
  for (const std::string& line : unavailable_lines(night.unavailable))
    text += fmt::format("not available: {}\n", one_line(line, most_of_a_reason));
  for (const auto& [subject, why] : night.stopped)
    text += fmt::format("{}: {}\n", one_line(subject), one_line(why, most_of_a_reason));
  for (const std::string& error : night.errors)
    text += fmt::format("error: {}\n", one_line(error, most_of_a_reason));
  if (!text.empty()) text.insert(text.begin(), '\n');
  return text;
}

}  // namespace

std::string to_text(const Night& night) {
  std::string text =
      fmt::format("ulpfuzz night {}: {}\n{}", one_line(night.id), headline(night), totals(night));
  text += phase_lines(night);
  for (const NightBucket& b : night.buckets) text += bucket_lines(b);
  text += pair_lines(night);
  text += corpus_lines(night);
  text += reason_lines("vacuous, not a pass, because", night.vacuous_reasons, night.cases);
  text += reason_lines("skipped because", night.skip_reasons, night.cases);
  text += trouble_lines(night);
  text += fmt::format("\nenvironment: {}\n", one_line(describe(night.environment), 1000));
  text += night.running ? std::string("no exit code: not over\n")
                        : fmt::format("exit code {}: {}\n", night.exit_code,
                                      exit_code_meaning(night.exit_code));
  return text;
}

}  // namespace ulpfuzz::report
