#include "ulpfuzz/runner/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "evaluation_size.hpp"
#include "path_difference.hpp"
#include "process.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

bool is_case_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".case") || name.ends_with(".case.json");
}

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

/// In the child: all runs, one answer.
json judge_repeatedly(const Property& property, const Case& c, const Subject& subject,
                      const ReplayOptions& options) {
  json answer;
  json first;
  bool repeatable = true;
  for (unsigned run = 0; run < options.times; ++run) {
    CheckContext context;
    json now;
    const Verdict verdict = judge(property, c, subject, options.check, context);
    now["verdict"] = to_json(verdict);
    const bool evaluated = verdict.outcome != Outcome::skip;
    if (const auto d =
            evaluated ? path_difference(property, c, subject, context.caller) : std::nullopt)
      now["difference"] = to_json(*d);
    if (run == 0) first = now;
    // The verdict of a failing run is worth more than that of a passing one.
    if (now != first) repeatable = false;
    if (run == 0 || verdict.failed()) answer = now;
  }
  answer["repeatable"] = repeatable;
  return answer;
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
  std::string text;
  const process::Ending ending = process::run_isolated(
      [&](int fd) {
        process::write_all(fd, dump(judge_repeatedly(property, c, subject, options)));
      },
      options.case_timeout * options.times, [&](std::string_view block) { text += block; },
      options.cancelled);
  row.seconds = process::seconds_since(start);
  const json answer = json::parse(text, nullptr, false);
  if (!answer.is_discarded()) {
    row.verdict = verdict_from(answer.at("verdict"));
    row.repeatable = answer.at("repeatable");
    if (answer.contains("difference")) row.difference = difference_from(answer.at("difference"));
    return row;
  }
  if (ending.how == process::Ending::How::cancelled) {
    row.verdict.outcome = Outcome::skip;
    row.verdict.reason = "interrupted";
    return row;
  }
  const bool hung = ending.how == process::Ending::How::timed_out;
  row.verdict.outcome = Outcome::fail;
  row.verdict.failure = hung ? FailureClass::hang : FailureClass::crash;
  row.verdict.cause = process::word(ending);
  row.verdict.reason = fmt::format("{} {}", subject.name(), process::describe(ending));
  return row;
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
  // A finding of the strict mode means nothing without it.
  if (noted(replayed.content, "class") == std::vector<std::string>{"not_bitwise"})
    options.check.bitwise = true;
  const auto properties = select_properties(options.properties);
  for (const Property* property : properties)
    check_evaluation_size(file.string(), replayed.content.value, *property);
  for (const Property* property : properties)
    for (const Subject* subject : select_subjects(subjects, options.subjects)) {
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
