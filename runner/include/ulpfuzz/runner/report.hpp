#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {

/// "schema" and "kind" of summary.json.
inline constexpr int summary_schema = 1;
inline constexpr std::string_view campaign_kind = "campaign";

/// The run as JSON: docs/summary.md describes it.
std::string summary_json(const CampaignOptions& options, const CampaignResult& result);
/// The same for people.
std::string summary_text(const CampaignOptions& options, const CampaignResult& result);

/// The inverse of summary_json(), for all but `over_time`, also of a run that is not over, or was
/// killed. `name` is used in errors: FileError "NAME: buckets[3].count: ..." for anything else.
CampaignResult campaign_from_json(std::string_view text, const std::string& name);

/// A line of stats.jsonl, without its end.
std::string statistics_json(const StatisticsLine& line);
/// The lines of stats.jsonl; those that cannot be read, as one that a kill cut, are left out.
/// FileError for a file that cannot be read.
std::vector<StatisticsLine> read_statistics(const std::filesystem::path& file);

}  // namespace ulpfuzz
