#include <fmt/format.h>

#include <algorithm>

#include "ulpfuzz/report/reports.hpp"
#include "words.hpp"

namespace ulpfuzz::report {
namespace {

// A ticket holds 65,536 characters; the page has all.
constexpr std::size_t most_rows = 100, most_details = 20, most_of_a_text = 1000;

/// Prose on one line that is read as itself: no markup, no cell, and nobody is called by "@name".
std::string prose(std::string_view text, std::size_t most = 300) {
  std::string escaped;
  for (const char c : one_line(text, most)) {
    if (std::string_view("\\`*_[]<>#|~$&").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
    if (c == '@') escaped += "\u200b";
  }
  return escaped;
}

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0, run = 0;
  for (const char at : text) longest = std::max(longest, run = at == c ? run + 1 : 0);
  return longest;
}

/// A code span. A bar would end the cell of a table even there.
std::string code(std::string_view text, std::size_t most = 300) {
  std::string inner = one_line(text, most);
  for (std::size_t at = 0; (at = inner.find('|', at)) != inner.npos;)
    inner.replace(at, 1, "\u2223");
  if (inner.empty()) return {};
  const std::string fence(longest_run(inner, '`') + 1, '`');
  const bool pad = inner.front() == '`' || inner.back() == '`' || inner.front() == ' ';
  return fence + (pad ? " " : "") + inner + (pad ? " " : "") + fence;
}

std::string block(std::string_view text, std::string_view language = "") {
  const std::string inner = clean(text);
  const std::string fence(std::max<std::size_t>(3, longest_run(inner, '`') + 1), '`');
  return fmt::format("{}{}\n{}{}{}\n", fence, language, inner, inner.ends_with('\n') ? "" : "\n",
                     fence);
}

std::string row(const NightBucket& b) {
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} |\n",
      wants_attention(b.state) ? fmt::format("**{}**", name(b.state)) : std::string(name(b.state)),
      code(b.bucket.id), with_commas(b.bucket.count),
      b.bucket.share > 0 ? share_text(b.bucket.share) : "-", prose(b.found_in), prose(b.owner));
}

std::string bucket_table(const Night& night) {
  if (night.buckets.empty()) return {};
  std::string text =
      "\n| state | bucket | times | worst share | found in | owner |\n|---|---|--:|--:|---|---|\n";
  for (std::size_t i = 0; i < std::min(most_rows, night.buckets.size()); ++i)
    text += row(night.buckets[i]);
  if (night.buckets.size() > most_rows)
    text += fmt::format("\nand {} more, in index.html\n", night.buckets.size() - most_rows);
  return text;
}

std::string details(const NightBucket& b) {
  std::string text = fmt::format("\n### {}: {}\n\n", name(b.state), code(b.bucket.id));
  const auto add = [](std::string& to, const char* before, const std::string& what) {
    if (!what.empty()) to += before + cut(clean(what), most_of_a_text) + "\n";
  };
  std::string facts;
  add(facts, "", b.bucket.reason);
  add(facts, "smallest case: ", b.minimal);
  add(facts, "", b.boundary);
  add(facts, "", b.comment);
  if (!facts.empty()) text += block(facts);
  text += fmt::format("\nFirst seen in {}", code(b.first_seen.empty() ? "-" : b.first_seen));
  if (b.nights > 1) text += fmt::format(", in {}", counted(b.nights, "night"));
  if (b.bucket.tried > 0)
    text += fmt::format("; failed again in {} of {} runs", b.bucket.reproduced, b.bucket.tried);
  text += ".\n";
  const std::string command = replay_command(b);
  return command.empty() ? text : text + "\n" + block(command, "sh");
}

std::string all_details(const Night& night) {
  std::string text;
  std::size_t shown = 0, left = 0;
  for (const NightBucket& b : night.buckets) {
    if (!wants_attention(b.state) && b.state != BucketState::flaky) continue;
    if (shown++ < most_details)
      text += details(b);
    else
      ++left;
  }
  if (left > 0) text += fmt::format("\nAnd {} more, in index.html.\n", left);
  return text;
}

std::string phase_table(const Night& night) {
  if (night.phases.empty()) return {};
  std::string text =
      "\n## Phases\n\n| phase | state | time | budget | cases | buckets | |\n"
      "|---|---|--:|--:|--:|--:|---|\n";
  for (const Phase& p : night.phases)
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", prose(p.name), name(p.state),
                        clock_text(p.seconds), p.budget > 0 ? clock_text(p.budget) : "-",
                        with_commas(p.cases), p.buckets, prose(p.note));
  return text;
}

std::string troubles(const Night& night) {
  std::string text;
  for (const std::string& error : night.errors) text += "- error: " + prose(error) + "\n";
  for (const auto& [subject, why] : night.stopped)
    text += fmt::format("- {} was stopped: {}\n", code(subject), prose(why));
  for (const std::string& line : unavailable_lines(night.unavailable))
    text += "- not available: " + prose(line) + "\n";
  return text.empty() ? text : "\n## Worth knowing\n\n" + text;
}

std::string how_to_replay(const Night& night) {
  if (std::all_of(night.buckets.begin(), night.buckets.end(),
                  [](const NightBucket& b) { return b.bucket.case_file.empty(); }))
    return {};
  return "\n## How to replay\n\nCommands are given in the folder of the night. `ulpfuzz explain` "
         "says what a case\nshows, `ulpfuzz repro` makes a program of it that needs no ulpfuzz; "
         "`repro.cpp`,\n`repro_torch.py` and others stand beside the case. Who owns a bucket puts "
         "it on the list\nof known ones (`known.json` in the corpus), with a date.\n";
}

}  // namespace

std::string to_markdown(const Night& night) {
  std::string text = fmt::format("# {}\n\n", prose(headline(night), most_of_a_text));
  text += fmt::format(
      "Night {}, began {}, seed {}: {} in {} ({} per second), exit code {}.\n",
      code(night.id.empty() ? "-" : night.id), prose(night.date), night.seed,
      counted(night.cases, "case"), clock_text(night.seconds), whole(cases_per_second(night)),
      night.running ? "none: not over"
                    : fmt::format("{} ({})", night.exit_code, exit_code_meaning(night.exit_code)));
  if (!night.trend.empty()) text += fmt::format("\n{}.\n", trend_line(night));
  text += bucket_table(night) + all_details(night) + troubles(night) + phase_table(night);
  return text + how_to_replay(night);
}

}  // namespace ulpfuzz::report
