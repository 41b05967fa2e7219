#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "ulpfuzz/report/night.hpp"

/// The parts of the page, each a piece of HTML, "" where a night has nothing to show in it. All are
/// complete without scripts; charts are drawn on top of that from chart_data().
namespace ulpfuzz::report::page {

/// What becomes of the night in the eyes of who reads it: "pass", "fail", "warn", "run". A style
/// class, and the icon.
std::string mood(const Night& night);
/// Headline, what the exit code means, buckets by state, the numbers that matter, and what kept the
/// night from its work.
std::string verdict(const Night& night);
/// A card each. Those with detail take at most `room` bytes; the others are a row each.
std::string buckets(const Night& night, const std::filesystem::path& folder, std::size_t room);
std::string phases(const Night& night);
/// Shares by property and subject, and over time.
std::string shares(const Night& night);
std::string worst_by_size(const Night& night);
std::string throughput(const Night& night);
std::string coverage(const Night& night);
std::string trend(const Night& night);
std::string pairs(const Night& night);
/// Reasons, environment, options, shards.
std::string surroundings(const Night& night);
/// How to replay, and what exit codes mean.
std::string how_to(const Night& night);

/// {"bins": [names], "pairs": [{property, subject, bins}], "time": {"seconds", "rate", "phases",
/// "shares": {property: {tier: [...]}}}, "trend": {"nights", "buckets": {state: [...]}, "rate",
/// "share", "stability"}}: lists of one length; shares are numbers, "inf" or null.
nlohmann::json chart_data(const Night& night);

/// A section of the page with its heading; "" for an empty body.
std::string section(const std::string& id, const std::string& title, const std::string& body);
/// A canvas with the words that stand for it, and a control or two above.
std::string chart(const std::string& id, const std::string& label, const std::string& words,
                  const std::string& controls = {});
/// An icon of the page's sprite; words stand beside it.
std::string icon(const std::string& name);
/// A part of a whole as a bar; the numbers stand beside it.
std::string meter(double part);

}  // namespace ulpfuzz::report::page
