#include "fuzzer_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "files.hpp"
#include "fuzzer_inputs.hpp"
#include "given.hpp"
#include "reader_findings.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr double least_to_confirm = 10;  // seconds
constexpr const char* looked_at = "ending";

/// Inputs that ended a target: they crash, hang or grow there, and so perhaps in a worker, too.
std::vector<GivenCase> cases_of(const fs::path& home, const std::string& property) {
  std::vector<GivenCase> found;
  for (const fs::path& file : artifacts(home)) {
    try {
      GivenCase c{file, read_case(file)};
      c.content.notes["property"] = property;
      found.push_back(std::move(c));
    } catch (const FileError&) {  // no case, which is what decoding makes of any bytes
    }
  }
  return found;
}

void look_at_subjects(Session& session, const FuzzTarget& target, const std::string& text,
                      bool limits, const fs::path& home) {
  CampaignOptions o = session.usual();
  o.properties.clear();  // of their notes
  o.given = cases_of(home, target.name);
  const CampaignResult r =
      o.given.empty() ? CampaignResult{} : session.campaign("libFuzzer", o, Fold::findings);
  // All subjects together took too long or too much there, and none of them does alone.
  if (r.buckets.empty() && !limits && !session.stopping())
    session.error(fmt::format("libFuzzer: {}", text));
  else
    add_note(session.phase("libFuzzer"), text);
}

const FuzzTarget* target_of(const Fuzzers& fuzzers, const fs::path& home) {
  const std::string name = home.filename().string();
  for (const FuzzTarget& target : fuzzers.all())
    if (name.substr(0, name.rfind('-')) == target.file()) return &target;
  return nullptr;
}

/// Failed again in this night.
bool is_believed(const report::Night& night, const std::string& id) {
  return std::any_of(night.buckets.begin(), night.buckets.end(), [&](const auto& b) {
    return b.bucket.goes_by(id) && b.bucket.reproduced > 0;
  });
}

/// "#1024<TAB>pulse ...", or the sum in the end; 0 for a line that is not libFuzzer's, as of a
/// sanitizer's stack.
std::uint64_t executions_said(const std::string& line) {
  constexpr std::string_view sum = "stat::number_of_executed_units:";
  constexpr std::array<std::string_view, 8> words{"READ",   "INITED", "NEW",   "REDUCE",
                                                  "RELOAD", "LOADED", "pulse", "DONE"};
  if (line.starts_with(sum)) return std::strtoull(line.c_str() + sum.size(), nullptr, 10);
  const auto tab = line.find('\t');
  if (!line.starts_with('#') || tab < 2 || tab != line.find_first_not_of("0123456789", 1)) return 0;
  const auto after = std::min(line.find_first_of(" \t\r", tab + 1), line.size());
  const bool is_word =
      std::find(words.begin(), words.end(), line.substr(tab + 1, after - tab - 1)) != words.end();
  return is_word ? std::strtoull(line.c_str() + 1, nullptr, 10) : 0;
}

}  // namespace

std::vector<std::string> usual_command(const Session& session, const FuzzTarget& target,
                                       const fs::path& home) {
  const NightlyOptions& o = session.options();
  return {target.program.string(), fmt::format("-artifact_prefix={}/", home.string()),
          fmt::format("-timeout={}", std::max(1, static_cast<int>(o.case_timeout))),
          fmt::format("-rss_limit_mb={}", o.memory_limit)};
}

std::map<std::string, std::string> surroundings_of(const Session& session, const fs::path& home) {
  std::map<std::string, std::string> env{
      {"ULPFUZZ_ON_FAILURE", "collect"},
      {"ULPFUZZ_FINDINGS", (home / "findings").string()},
      {"ULPFUZZ_STATISTICS", (home / "statistics.json").string()}};
  if (!session.options().subjects.empty())
    env["ULPFUZZ_SUBJECTS"] = fmt::to_string(fmt::join(session.options().subjects, " "));
  return env;
}

/// One that is killed leaves its statistics of a second ago; readers only say it in the end, and
/// now and then in lines of libFuzzer's.
std::uint64_t executions_of(const fs::path& home) {
  std::uint64_t n = 0;
  std::istringstream log(file_text(home / "log").value_or(""));
  for (std::string line; std::getline(log, line);) n = std::max(n, executions_said(line));
  const auto text = file_text(home / "statistics.json");
  const auto j = nlohmann::json::parse(text.value_or(""), nullptr, false);
  if (!j.is_object() || !j.contains("executions")) return n;
  const auto& counted = j["executions"];
  return counted.is_number_unsigned() ? std::max(n, counted.get<std::uint64_t>()) : n;
}

bool was_told(const ProgramEnding& ending) {
  return ending.how == ProgramEnding::How::stopped ||
         (ending.how == ProgramEnding::How::signalled && ending.code == SIGTERM) ||
         (ending.how == ProgramEnding::How::exited && ending.code == interrupt_code);
}

void look_at_ending(Session& session, const FuzzTarget& target, const ProgramEnding& ending,
                    const fs::path& home) {
  const bool well = ending.how == ProgramEnding::How::exited && ending.code == 0;
  if (was_told(ending) || well) return;
  const std::string text = fmt::format("{} {}; its log: {}", home.filename().string(),
                                       ending.text(), (home / "log").string());
  const bool limits = ending.how == ProgramEnding::How::exited &&
                      (ending.code == timeout_code || ending.code == memory_code);
  if (session.stopping()) return add_note(session.phase("libFuzzer"), text);  // see look_at_left()
  if (target.reader)
    look_at_reader(session, target, ending, home);
  else
    look_at_subjects(session, target, text, limits, home);
  if (session.stopping()) return add_note(session.phase("libFuzzer"), text);
  write_file_atomically(home / looked_at, text + "\n");
}

void look_at_left(Session& session, const Fuzzers& fuzzers) {
  for (const fs::path& part : entries(session.options().out / "parts")) {
    if (phase_of(part) != "libFuzzer") continue;
    for (const FuzzTarget& target : fuzzers.all()) gather_inputs(session, target, part);
    for (const fs::path& home : entries(part)) {
      const FuzzTarget* target = target_of(fuzzers, home);
      if (target == nullptr || fs::exists(home / looked_at) || artifacts(home).empty()) continue;
      const std::string input = artifacts(home).front().filename().string();
      const int code = input.starts_with("timeout-") ? timeout_code
                       : input.starts_with("oom-")   ? memory_code
                                                     : crash_code;
      look_at_ending(session, *target, {ProgramEnding::How::exited, code}, fs::absolute(home));
    }
  }
}

void confirm(Session& session, const fs::path& part, double seconds) {
  std::vector<fs::path> folders;
  for (const fs::path& home : entries(part)) folders.push_back(home / "findings");
  Collected found = collect(folders, session.stop_asked());
  std::erase_if(found.cases, [&](const GivenCase& c) {
    return is_believed(session.night(), c.name.parent_path().filename().string());
  });
  keep_what_is_tried(session, "libFuzzer", found.cases);
  const std::size_t cases = found.cases.size();
  CampaignResult result;
  if (cases > 0 && !session.stopping()) {
    CampaignOptions o = session.usual();
    o.subjects.clear();
    o.properties.clear();  // of their notes
    for (const GivenCase& c : found.cases) o.subjects.push_back(c.subject);
    o.given = std::move(found.cases);
    if (seconds > 0) o.seconds = std::max(seconds, least_to_confirm);
    result = session.campaign("libFuzzer", o, Fold::findings);
  }
  const bool all = !session.stopping() && result.cases >= cases;
  session.take_up_fuzzing(part, all ? Session::Left::passes : Session::Left::not_tried);
}

}  // namespace ulpfuzz::nightly
