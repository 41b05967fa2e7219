#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "ulpfuzz/report/night.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz::report {

// What several writers say in the same words.

std::string whole(double value);  ///< "16,712"
double cases_per_second(const Night& night);
std::uint64_t count(const Night& night, BucketState state);
std::uint64_t verdicts(const Night& night, const std::string& outcome);
/// Of subjects that are not wrong on purpose the one that came nearest to its bound, or went beyond
/// it furthest; null where nothing was tried.
const PairCounts* worst_pair(const Night& night);
/// Whether a corpus was replayed, so that `stability` says something.
bool replayed(const Night& night);
/// New, open and returned ones: what turns a night red.
bool wants_attention(BucketState state);
/// "new", "known to Ann until 2026-12-31"
std::string state_text(const NightBucket& bucket);
/// A command, to be given in the folder of the night; empty where there is no case.
std::string replay_command(const NightBucket& bucket);
/// Why the exit code is 5: "too little was executed: no case was executed"
std::string why_too_little(const Night& night);
/// "7 nights before this one, 2 red; 16,712 cases per second now, 20,000 in their median"
std::string trend_line(const Night& night);
/// A path relative to the folder of the night as a URI reference (RFC 3986).
std::string uri_of(const std::filesystem::path& path);
/// Text of any bytes as valid UTF-8: others become U+FFFD. So do control characters but line feed
/// and tab, which no reader shows and XML has not.
std::string clean(std::string_view text);
/// Clean text of at most so many bytes, "..." after what was cut.
std::string cut(std::string text, std::size_t most);
/// Clean and cut, also for texts of megabytes.
std::string shortened(std::string_view text, std::size_t most);
/// On one line, of at most so many bytes.
std::string one_line(std::string_view text, std::size_t most = 300);

}  // namespace ulpfuzz::report
