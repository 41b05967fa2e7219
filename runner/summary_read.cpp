#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/member_read.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/runner/report.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

/// Written flat: what is neither of the other members is of the machine.
Environment environment_from(const json& value, const Place& place) {
  Environment e;
  place.expect(value.is_object(), value, "an object");
  for (const auto& [key, item] : value.items()) {
    if (key == "claim")
      from_member(item, e.claim, place.at(key));
    else if (key == "subjects")
      from_member(item, e.subjects, place.at(key));
    else if (key == "variables")
      from_member(item, e.variables, place.at(key));
    else
      from_member(item, e.machine[key], place.at(key));
  }
  return e;
}

std::string text_of(const std::filesystem::path& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    throw FileError(fmt::format("{}: cannot be read: {}; name another file", file.string(),
                                std::generic_category().message(errno)));
  std::string text;
  while (process::read_some(fd, text)) {
  }
  close(fd);
  return text;
}

}  // namespace

CampaignResult campaign_from_json(std::string_view text, const std::string& name) {
  const auto all = parsed_json<json>(text, name, "a summary is JSON as `ulpfuzz run` writes it");
  const Place top(name);
  expect_schema(all, top, campaign_kind, summary_schema,
                "no summary of a run; name the summary.json of `ulpfuzz run`");
  CampaignResult r;
  const auto take = [&](const char* key, auto& member) {
    from_member(member_of(all, key, top), member, top.at(key));
  };
  take("cases", r.cases);
  take("elements", r.elements);
  take("seconds", r.seconds);
  take("verdicts", r.verdicts);
  take("buckets", r.buckets);
  take("time", r.time);
  take("share_max", r.share_max);
  take("pairs", r.pairs);
  take("statistics", r.statistics);
  take("corpus", r.corpus);
  take("elements_by_tier", r.elements_by_tier);
  take("vacuous_reasons", r.vacuous_reasons);
  take("skip_reasons", r.skip_reasons);
  take("unavailable", r.unavailable);
  take("stopped", r.stopped);
  take("errors", r.errors);
  take("out", r.out);
  take("interrupted", r.interrupted);
  take("running", r.running);
  r.environment = environment_from(member_of(all, "environment", top), top.at("environment"));
  return r;
}

std::string statistics_json(const StatisticsLine& line) { return dump(to_member(line)); }

std::vector<StatisticsLine> read_statistics(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  const std::string name = file.string();
  std::vector<StatisticsLine> lines;
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != text.npos; from = end + 1) {
    const json value = json::parse(text.substr(from, end - from), nullptr, false);
    StatisticsLine line;
    try {
      from_member(value, line, Place(name));
      lines.push_back(std::move(line));
    } catch (const FileError&) {  // cut by a kill
    }
  }
  return lines;
}

}  // namespace ulpfuzz
