#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ulpfuzz::nightly {

/// Parts of the whole time that a phase may take. What is not named here, and what these leave, is
/// for random, search and libFuzzer together.
inline constexpr double part_of_self_check = 0.05;
inline constexpr double part_of_regressions = 0.10;
inline constexpr double part_of_replay = 0.15;
inline constexpr double part_of_shrink = 0.25;  ///< reserved; what it leaves goes to the search
inline constexpr double part_of_distil = 0.05;
inline constexpr double part_of_merge = 0.05;  ///< with libFuzzer, to reduce its corpora
inline constexpr double part_of_report = 0.02;

inline constexpr double least_campaign = 0.5;  ///< seconds, to be worth its start

/// Seconds to keep for shrinking: so many buckets wait, `jobs` processes work on them. At most what
/// is reserved; a fifth of it where nothing failed yet, because the rest of the search may find
/// something.
double shrink_reserve(double night, std::size_t buckets, unsigned jobs);

/// What one way of finding cases came to lately.
struct Yield {
  double per_second = 0;  ///< new buckets, and cases worth keeping for a corpus, weighed
  bool known = false;     ///< it had a turn
};
/// Of each way's latest turn, and half of what was known before.
void note_yield(Yield& yield, std::uint64_t buckets, std::uint64_t kept, double seconds);

/// Parts of the time of a round, one a way, which sum to 1: in proportion to the yields, but for a
/// floor that each keeps, so that none is given up. Equal where nothing is known.
std::vector<double> shares(std::span<const Yield> ways);

/// Seconds of a round of all ways, where so many are left for them.
double round_length(double left);

}  // namespace ulpfuzz::nightly
