#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "merge_read.hpp"

namespace ulpfuzz::nightly {

// Each is a function of the set of nights (and of files that are one, too), whatever their order.

/// A text of each of some nights in one line: once where all have the same, else with how many have
/// it: "5.10 (3 of 4 shards); 6.1 (1 of 4 shards)". A few of many.
std::string together(const std::vector<std::string>& texts, std::size_t nights);

/// All but buckets, states, trend and exit code.
report::Night totals(const Nights& nights);

/// Phases by name, in the order of the nights' own.
std::vector<report::Phase> united_phases(const Nights& nights);

/// Lines by phase and time, as if the nights had run side by side: what each had come to by then,
/// added up.
std::vector<report::Sample> united_samples(const Nights& nights,
                                           const std::vector<report::Phase>& phases);

/// Buckets that are one by id, by `also`, or by the minimal case that is kept of them in `out`; the
/// case of each is the simplest there. Not those that are only seen to be fixed.
std::vector<report::NightBucket> united_buckets(const Nights& nights,
                                                const std::filesystem::path& out);

}  // namespace ulpfuzz::nightly
