#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/member_read.hpp"
#include "ulpfuzz/runner/report.hpp"

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

}  // namespace

CampaignResult campaign_from_json(std::string_view text, const std::string& name) {
  const json all = parsed_json(text, name, "a summary is JSON as `ulpfuzz run` writes it");
  const Place top(name);
  expect_kind(all, top, campaign_kind,
              "no summary of a run; name the summary.json of `ulpfuzz run`");
  expect_schema(all, top, summary_schema);
  CampaignResult r;
  from_member(all, r, top);
  r.environment = environment_from(member_of(all, "environment", top), top.at("environment"));
  return r;
}

std::string statistics_json(const StatisticsLine& line) { return dump(to_member(line)); }

std::vector<StatisticsLine> read_statistics(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  std::vector<StatisticsLine> lines;
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != text.npos; from = end + 1) {
    StatisticsLine line;
    try {
      from_member(parsed_json(std::string_view(text).substr(from, end - from), file.string(), ""),
                  line, Place(file.string()));
      lines.push_back(std::move(line));
    } catch (const FileError&) {  // cut by a kill
    }
  }
  return lines;
}

}  // namespace ulpfuzz
