#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/report/night.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz::report {

// What several writers say in the same words.

std::string counted(std::uint64_t n, std::string_view what);  ///< "1 case", "2,000 cases"
std::string share_text(
    double share);                ///< "0.4375", "3.2e+07", "<1" for what rounds to 1, "infinite"
std::string whole(double value);  ///< "16,712"
std::string percent(std::uint64_t part, std::uint64_t whole);
double cases_per_second(const Night& night);
std::uint64_t count(const Night& night, BucketState state);
/// New, open and returned ones: what turns a night red.
bool wants_attention(BucketState state);
/// "new", "known to Ann until 2026-12-31"
std::string state_text(const NightBucket& bucket);
/// A command, to be given in the folder of the night; empty where there is no case.
std::string replay_command(const NightBucket& bucket);
/// What an exit code of a night means.
std::string_view meaning(int exit_code);
/// "7 nights before this one, 2 red; 16,712 cases per second now, 20,000 in their median"
std::string trend_line(const Night& night);
/// Text of any bytes as valid UTF-8: others become U+FFFD. So do control characters but line feed
/// and tab, which no reader shows and XML has not.
std::string clean(std::string_view text);
/// Clean text of at most so many bytes, "..." after what was cut.
std::string cut(std::string text, std::size_t most);
/// On one line, of at most so many bytes.
std::string one_line(std::string_view text, std::size_t most = 300);

}  // namespace ulpfuzz::report
