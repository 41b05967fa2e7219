#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz::report {
namespace fs = std::filesystem;
namespace {

/// When a campaign began: its summary was written last at its end.
std::string began(const fs::path& file, double seconds) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  const std::time_t at = status.st_mtime - static_cast<std::time_t>(seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(at));
}

Night night_of_run(const std::string& text, const fs::path& file, const nlohmann::json& all) {
  const fs::path folder = file.parent_path();
  CampaignResult campaign = campaign_from_json(text, file.string());
  std::error_code ignored;
  const fs::path lines = folder / "stats.jsonl";
  if (fs::is_regular_file(lines, ignored)) campaign.over_time = read_statistics(lines);
  campaign.out = fs::absolute(folder).lexically_normal();
  Night night = night_of(campaign);
  night.date = began(file, campaign.seconds);
  if (all.contains("seed") && all["seed"].is_number_unsigned()) night.seed = all["seed"];
  describe_cases(night, folder);
  return night;
}

}  // namespace

Found read_report(const fs::path& folder) {
  const fs::path file = folder / "summary.json";
  const auto found = file_text(file);
  if (!found)
    throw FileError(fmt::format(
        "{}: is not there; name a folder that `ulpfuzz nightly`, `merge` or `run` reported into",
        file.string()));
  const std::string& text = *found;
  const auto all = nlohmann::json::parse(text, nullptr, false);
  const bool plain_run = all.is_object() && all.contains("kind") && all["kind"] == campaign_kind;
  if (plain_run) return {night_of_run(text, file, all), true};
  return {night_from_json(text, file.string()), false};
}

}  // namespace ulpfuzz::report
