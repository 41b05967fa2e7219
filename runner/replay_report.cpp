#include <fmt/format.h>

#include <algorithm>

#include "progress.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "unavailable.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

using Line = std::vector<std::string>;

std::string number(double value) { return fmt::format("{:.3g}", value); }

Line header() {
  return {"property",  "subject",  "verdict",     "elements",  "bit-equal", "max |a-b|",
          "sum |a-b|", "max ulps", "worst |a-b|", "its bound", "tier",      "share"};
}

Line line_of(const ReplayRow& row) {
  const Verdict& v = row.verdict;
  Line line{row.property, row.subject, std::string(name(v.outcome)),
            with_commas(v.element_count())};
  if (row.difference) {
    const PathDifference& d = *row.difference;
    line.push_back(fmt::format("{}/{}", d.bit_equal, d.elements));
    line.push_back(number(d.largest));
    line.push_back(number(d.sum));
    line.push_back(with_commas(d.ulps));
  } else {
    line.insert(line.end(), 4, "-");
  }
  if (!v.worst.where.empty()) {
    line.push_back(number(v.worst.difference));
    line.push_back(number(v.worst.bound));
    line.emplace_back(name(v.worst.tier));
  } else {
    line.insert(line.end(), 3, "-");
  }
  const bool judged = v.outcome == Outcome::pass || v.failed();
  line.push_back(judged ? number(v.share) : "-");
  return line;
}

std::string table(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Line& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const Line& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      row += i < 3 ? fmt::format("  {:<{}}", line[i], widths[i])
                   : fmt::format("  {:>{}}", line[i], widths[i]);
    text += row + "\n";
  }
  return text;
}

/// What a table has no room for.
std::string remark(const ReplayRow& row) {
  std::string text;
  const Verdict& v = row.verdict;
  if (v.failed())
    text += "\n" + row.account + (row.account.ends_with('\n') ? "" : "\n");
  else if (v.outcome != Outcome::pass)
    text += fmt::format("  {} {}: {}: {}\n", row.property, row.subject, name(v.outcome), v.reason);
  if (!row.repeatable)
    text += fmt::format("  {} {}: the runs disagree\n", row.property, row.subject);
  else if (row.runs > 1)
    text += fmt::format("  {} {}: {} runs in {} process{}, equal verdicts{}\n", row.property,
                        row.subject, with_commas(row.runs), row.processes,
                        row.processes == 1 ? "" : "es", row.difference ? " and bits" : "");
  return text;
}

/// Before a comment that was made of another subject or claim than were asked now.
std::string found_on(const ReplayedCase& replayed) {
  const std::string subject = note_of(replayed.content, "subject");
  const std::string claim = note_of(replayed.content, "claim");
  const bool same = std::all_of(replayed.rows.begin(), replayed.rows.end(),
                                [&](const ReplayRow& row) { return row.subject == subject; });
  if (subject.empty() || (same && claim == replayed.claim)) return {};
  return fmt::format("found on {}{}: ", subject, claim.empty() ? "" : ", judged as " + claim);
}

}  // namespace

std::string to_text(const ReplayedCase& replayed) {
  std::string text =
      fmt::format("{}\n  {}\n", replayed.file.string(), describe(replayed.content.value));
  const std::string comment = note_of(replayed.content, "comment");
  if (!comment.empty()) text += fmt::format("  {}{}\n", found_on(replayed), comment);
  if (!replayed.claim.empty())
    text += fmt::format("  judged as {}, whatever the subject claims\n", replayed.claim);
  std::vector<Line> lines{header()};
  for (const ReplayRow& row : replayed.rows) lines.push_back(line_of(row));
  text += table(lines);
  for (const ReplayRow& row : replayed.rows) text += remark(row);
  for (const std::string& subjects : unavailable_lines(replayed.unavailable))
    text += fmt::format("  not available: {}\n", subjects);
  return text;
}

std::string to_json(const std::vector<ReplayedCase>& replayed, std::optional<int> code) {
  json cases = json::array();
  for (const ReplayedCase& r : replayed) {
    if (!r.error.empty()) {
      cases.push_back({{"file", r.file.string()}, {"error", r.error}});
      continue;
    }
    json rows = json::array();
    for (const ReplayRow& row : r.rows) {
      const Verdict& v = row.verdict;
      json item = {{"property", row.property},
                   {"subject", row.subject},
                   {"verdict", name(v.outcome)},
                   {"class", name(v.failure)},
                   {"cause", v.cause},
                   {"first_op", v.first_op},
                   {"reason", v.reason},
                   {"elements", v.element_count()},
                   {"share", json_number(v.share)},
                   {"worst",
                    {{"where", v.worst.where},
                     {"difference", json_number(v.worst.difference)},
                     {"bound", json_number(v.worst.bound)},
                     {"ulps", v.worst.ulps},
                     {"tier", name(v.worst.tier)}}},
                   {"repeatable", row.repeatable},
                   {"runs", row.runs},
                   {"processes", row.processes},
                   {"seconds", row.seconds}};
      if (row.difference)
        item["paths"] = {{"elements", row.difference->elements},
                         {"bit_equal", row.difference->bit_equal},
                         {"largest", row.difference->largest},
                         {"sum", row.difference->sum},
                         {"ulps", row.difference->ulps},
                         {"bits", fmt::format("{:016x}", row.difference->bits)}};
      rows.push_back(std::move(item));
    }
    cases.push_back({{"file", r.file.string()},
                     {"case", describe(r.content.value)},
                     {"notes", r.content.notes},
                     {"claim", r.claim},
                     {"interrupted", r.interrupted},
                     {"unavailable", r.unavailable},
                     {"rows", rows}});
  }
  return dump({{"schema", 1}, {"cases", cases}, {"exit_code", code.value_or(exit_code(replayed))}},
              2) +
         "\n";
}

}  // namespace ulpfuzz
