#include "ulpfuzz/runner/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "evaluation_size.hpp"
#include "fatal_verdict.hpp"
#include "path_difference.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

std::vector<std::string> noted(const CaseFile& file, const char* key) {
  const auto at = file.notes.find(key);
  if (at == file.notes.end() || at->second.empty()) return {};
  return {at->second};
}

json to_json(const PathDifference& d) {
  return {{"elements", d.elements}, {"bit_equal", d.bit_equal}, {"largest", d.largest},
          {"sum", d.sum},           {"ulps", d.ulps},           {"bits", d.bits}};
}

PathDifference difference_from(const json& j) {
  return {j.at("elements"), j.at("bit_equal"), j.at("largest"),
          j.at("sum"),      j.at("ulps"),      j.at("bits")};
}

json run_once(const Property& property, const Case& c, const Subject& subject,
              const ReplayOptions& options) {
  CheckContext context;
  json run;
  const Verdict verdict = judge(property, c, subject, options.check, context);
  run["verdict"] = to_json(verdict);
  if (verdict.outcome == Outcome::skip || subject.broken()) return run;
  if (const auto d = path_difference(property, c, subject, context.caller))
    run["difference"] = to_json(*d);
  return run;
}

/// Runs that were made, as {"runs", "first", "answer", "repeatable"}.
class Runs {
 public:
  unsigned count() const { return count_; }
  void add(const json& first, const json& answer, unsigned count, bool repeatable) {
    if (count_ == 0) first_ = answer_ = first;
    // The verdict of a failing run is worth more than that of a passing one.
    if (count_ == 0 || verdict_from(answer.at("verdict")).failed()) answer_ = answer;
    repeatable_ = repeatable_ && repeatable && first == first_;
    count_ += count;
  }
  void add(const json& run) { add(run, run, 1, true); }
  void add_all(const json& runs) {
    add(runs.at("first"), runs.at("answer"), runs.at("runs"), runs.at("repeatable"));
  }
  json to_json() const {
    return {{"runs", count_}, {"first", first_}, {"answer", answer_}, {"repeatable", repeatable_}};
  }
  void into(ReplayRow& row) const {
    row.verdict = verdict_from(answer_.at("verdict"));
    row.repeatable = repeatable_;
    if (answer_.contains("difference")) row.difference = difference_from(answer_.at("difference"));
  }

 private:
  unsigned count_ = 0;
  json first_, answer_;
  bool repeatable_ = true;
};

/// In the child: runs until there are enough or the subject cannot be used any more.
json run_repeatedly(const Property& property, const Case& c, const Subject& subject,
                    const ReplayOptions& options, unsigned times) {
  Runs runs;
  do runs.add(run_once(property, c, subject, options));
  while (runs.count() < times && !subject.broken());
  return runs.to_json();
}

Verdict verdict_of(const process::Ending& ending, const Subject& subject, double waited) {
  if (ending.how == process::Ending::How::cancelled) {
    Verdict v;
    v.outcome = Outcome::skip;
    v.reason = "interrupted";
    return v;
  }
  return fatal_verdict(subject.name(), ending, waited);
}

/// Half of the runs follow each other in one process, the others have processes of their own (or
/// shares of a few dozen): what depends on earlier calls shows, and what depends on the process.
unsigned share_of_a_process(unsigned times, unsigned done) {
  const unsigned left = times - done;
  return done == 0 ? times - times / 2 : std::min(left, std::max(1U, times / 64));
}

ReplayRow replay_one(const Property& property, const Case& c, const Subject& subject,
                     const ReplayOptions& options) {
  ReplayRow row;
  row.property = property.name;
  row.subject = subject.name();
  if (const auto why = subject.unavailable()) {
    row.verdict.outcome = Outcome::skip;
    row.verdict.reason = *why;
    return row;
  }
  const auto start = process::Clock::now();
  Runs runs;
  while (runs.count() < options.times) {
    const unsigned left = share_of_a_process(options.times, runs.count());
    std::string text;
    const process::Ending ending = process::run_isolated(
        [&](int fd) {
          process::write_all(fd, dump(run_repeatedly(property, c, subject, options, left)));
        },
        options.case_timeout * left, [&](std::string_view block) { text += block; },
        options.cancelled, options.memory_limit);
    const json answer = json::parse(text, nullptr, false);
    if (answer.is_discarded()) {
      row.verdict = verdict_of(ending, subject, options.case_timeout * left);
      break;
    }
    runs.add_all(answer);
    runs.into(row);
    row.runs = runs.count();
    ++row.processes;
  }
  row.seconds = process::seconds_since(start);
  return row;
}

bool is_named(const std::vector<std::string>& globs, const Subject& subject) {
  return std::find(globs.begin(), globs.end(), subject.name()) != globs.end();
}

}  // namespace

std::vector<fs::path> case_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (!fs::exists(path, error)) throw FileError(fmt::format("{}: does not exist", path.string()));
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file() && is_case_file(entry.path())) inside.push_back(entry.path());
    if (inside.empty())
      throw FileError(fmt::format("{}: holds no *.case and no *.case.json", path.string()));
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

ReplayedCase replay(const fs::path& file, const ReplayOptions& given, const Registry& subjects) {
  ReplayedCase replayed;
  replayed.file = file;
  replayed.content = read_case(file);
  ReplayOptions options = given;
  if (options.subjects.empty()) options.subjects = noted(replayed.content, "subject");
  if (options.properties.empty()) options.properties = noted(replayed.content, "property");
  if (noted_bitwise(replayed.content)) options.check.bitwise = true;
  const auto noted_claim = noted(replayed.content, "claim");
  if (options.claim.empty() && !noted_claim.empty()) options.claim = noted_claim.front();
  replayed.claim = options.claim;
  const Registry judged = options.claim.empty() ? Registry{} : judged_as(options.claim, subjects);
  const Registry& judges = options.claim.empty() ? subjects : judged;
  const auto properties = select_properties(options.properties);
  for (const Property* property : properties)
    check_evaluation_size(file.string(), replayed.content.value, *property);
  for (const Property* property : properties)
    for (const Subject* subject : select_subjects(judges, options.subjects)) {
      if (const auto why = subject->unavailable()) {
        replayed.unavailable.emplace(subject->name(), *why);
        if (!is_named(options.subjects, *subject)) continue;
      }
      ReplayRow row = replay_one(*property, replayed.content.value, *subject, options);
      if (row.verdict.failed())
        row.account = explain(*property, replayed.content.value, *subject, row.verdict);
      replayed.rows.push_back(std::move(row));
      replayed.interrupted = options.cancelled && options.cancelled();
      if (replayed.interrupted) return replayed;
    }
  return replayed;
}

int exit_code(const std::vector<ReplayedCase>& replayed) {
  bool failed = false;
  bool judged = false;
  bool unsteady = false;
  bool unreadable = false;
  bool interrupted = false;
  for (const ReplayedCase& r : replayed) {
    const bool regression =
        noted(r.content, "expected") == std::vector<std::string>{"pass"} &&
        std::find(r.file.begin(), r.file.end(), fs::path("regressions")) != r.file.end();
    unreadable = unreadable || !r.error.empty();
    interrupted = interrupted || r.interrupted;
    for (const ReplayRow& row : r.rows) {
      judged = judged || row.verdict.outcome == Outcome::pass || row.verdict.failed();
      unsteady = unsteady || !row.repeatable;
      if (!row.verdict.failed()) continue;
      if (regression) return 3;
      failed = true;
    }
  }
  if (failed) return 1;
  if (unreadable) return 2;
  if (unsteady) return 6;
  return judged && !interrupted ? 0 : 5;
}

}  // namespace ulpfuzz
