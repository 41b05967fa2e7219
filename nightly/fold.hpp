#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::nightly {

/// What of a campaign goes into the night.
enum class Fold : std::uint8_t {
  everything,  ///< counts and findings
  findings,    ///< cases that were given because they had failed: they are counted already
  nothing      ///< errors alone: planted faults must not look like the night's own
};

/// NightBucket::found_in is the name of the phase, but for cases that were kept of earlier nights'
/// buckets, which the phase of regressions runs: those may fail, regressions must not.
inline constexpr std::string_view in_regressions = "regressions", in_kept_cases = "kept cases";
inline std::string_view phase_that_found(const report::NightBucket& b) {
  return b.found_in == in_kept_cases ? in_regressions : std::string_view(b.found_in);
}

/// Adds what the campaign of a part of the night came to. Files of findings are copied from the
/// folder of the part to that of the night. `began`: seconds of the night at its beginning. Returns
/// how many buckets are new to the night. Throws FileError where files cannot be copied; the night
/// then knows of the findings all the same.
std::size_t fold(report::Night& night, const CampaignResult& part, const std::string& phase,
                 Fold what, double began, const std::filesystem::path& out);

/// Adds a bucket found by a phase, or counts it for the one that it belongs to. True if it is new.
bool add_bucket(report::Night& night, const Bucket& bucket, const std::string& phase, Fold what);

/// The bucket of the night that goes by this name, or nullptr.
report::NightBucket* find_bucket(report::Night& night, const std::string& id);

/// What failed again after all leaves the quarantine; what never did goes there. Returns the folder
/// that it then has below `out`.
std::filesystem::path settle(Bucket& bucket, const std::filesystem::path& out);

/// Copies a file of a finding and the account beside it, if that is there.
void copy_finding(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace ulpfuzz::nightly
