#pragma once

#include <string>

#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {

/// The run as JSON: docs/summary.md describes it.
std::string summary_json(const CampaignOptions& options, const CampaignResult& result);
/// The same for people.
std::string summary_text(const CampaignOptions& options, const CampaignResult& result);

}  // namespace ulpfuzz
