#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::tool {

/// What a probe found, for people. Claims that an interrupted one found nothing against are not
/// decided. `claim`: the name of what it is judged by, if that is not its own claim.
std::string probe_text(const probe::Report& report, const Subject& subject,
                       const std::string& claim, const probe::Options& options, bool interrupted);

/// As docs/probe.md has it, without what belongs to the run.
nlohmann::json probe_json(const probe::Report& report);
/// The inverse, for reports of a child process.
probe::Report probe_report_from(const nlohmann::json& json);

/// Orders that are alike, and where they were seen.
struct OrderGroup {
  const probe::Report::Order* first = nullptr;
  std::string text;  ///< describe()
  std::vector<std::string> places;
};
std::vector<OrderGroup> group_orders(const probe::Report& report);

}  // namespace ulpfuzz::tool
