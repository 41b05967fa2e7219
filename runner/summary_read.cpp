#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "member_json.hpp"
#include "process.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

json parsed(std::string_view text, const std::string& name) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (const auto end = what.find("] "); end != what.npos) what.erase(0, end + 2);
    throw FileError(
        fmt::format("{}: {}; a summary is JSON as `ulpfuzz run` writes it", name, what));
  }
}

void expect_schema(const json& all, const Place& top) {
  top.expect(all.is_object(), all, "an object");
  if (const auto kind = all.find("kind"); kind == all.end() || *kind != campaign_kind)
    top.at("kind").refuse(
        fmt::format("is not \"{}\": no summary of a run; name the summary.json of `ulpfuzz run`",
                    campaign_kind));
  std::uint64_t schema = 0;
  from_member(member_of(all, "schema", top), schema, top.at("schema"));
  if (schema != summary_schema)
    top.at("schema").refuse(
        fmt::format("{} is not {}, which this ulpfuzz reads; use the ulpfuzz that wrote it", schema,
                    summary_schema));
}

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

void Place::refuse(const std::string& what) const {
  throw FileError(fmt::format("{}: {}: {}", *file_, path_.empty() ? "top" : path_, what));
}

void Place::expect(bool holds, const json& value, const std::string& wanted) const {
  if (holds) return;
  std::string shown = dump(value);
  if (shown.size() > 40) shown = fmt::format("{} of {} members", value.type_name(), value.size());
  refuse(fmt::format("{} does not fit; {} would", shown, wanted));
}

const json& member_of(const json& object, const std::string& key, const Place& place) {
  const auto found = object.find(key);
  if (found == object.end()) place.at(key).refuse("is missing; take the file as it was written");
  return *found;
}

CampaignResult campaign_from_json(std::string_view text, const std::string& name) {
  const json all = parsed(text, name);
  const Place top(name);
  expect_schema(all, top);
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
